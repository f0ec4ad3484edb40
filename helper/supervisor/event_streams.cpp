#include "helper/supervisor/event_streams.h"

namespace belljar {
namespace {

constexpr std::size_t kEnoughQueued = 128u << 10;
constexpr std::size_t kMostAtOnce = 256;

void refuse(const varlink::Responder& responder, const std::string& reason) {
    responder.error("org.belljar.Session.NotFound", {{"reason", reason}});
}

} // namespace

void EventStreams::add(varlink::Responder responder, std::weak_ptr<ServerConnection> connection, std::uint64_t after,
                       bool follow) {
    streams_.push_back({std::move(responder), std::move(connection), after, follow});
    pump();
}

void EventStreams::finish() {
    finished_ = true;
    pump();
}

void EventStreams::pump() {
    streams_.remove_if([this](Stream& stream) { return pump(stream); });
}

bool EventStreams::pump(Stream& stream) {
    const auto connection = stream.connection.lock();
    if (!connection || !stream.responder.connected()) return true;
    const std::uint64_t last = last_();
    if (last == 0 && !finished_) return false;
    if (stream.after >= last) {
        const bool over = !stream.follow || finished_;
        if (over) refuse(stream.responder, "no event after " + std::to_string(stream.after));
        return over;
    }
    if (!reader_) {
        auto opened = RecordReader::open(path_);
        if (!opened) {
            refuse(stream.responder, opened.error().message());
            return true;
        }
        reader_ = std::move(*opened);
    }
    bool over = false;
    while (!over && stream.after < last && connection->queued() < kEnoughQueued) {
        std::size_t sent = 0;
        const Status read = reader_->for_each(stream.after, [&](const StoredEvent& event) {
            stream.after = event.seq;
            over = !stream.responder.wants_more() || (event.seq >= last && (!stream.follow || finished_));
            const varlink::json parameters = {{"event", varlink::json::parse(event.bytes, nullptr, false)}};
            if (over)
                stream.responder.reply(parameters);
            else
                stream.responder.reply_continues(parameters);
            return !over && ++sent < kMostAtOnce && stream.after < last && connection->queued() < kEnoughQueued;
        });
        if (!read || sent == 0) {
            if (!over) refuse(stream.responder, read ? "the record ends early" : read.error().message());
            over = true;
        }
    }
    return over;
}

} // namespace belljar
