#include "helper/supervisor/session.h"

#include "core/session/paths.h"

#include <boost/asio/post.hpp>
#include <csignal>
#include <interfaces.h>

namespace belljar {
namespace {

constexpr std::chrono::seconds kMustStartWithin{30};

} // namespace

Session::Session(boost::asio::io_context& loop, SessionInputs inputs)
    : loop_(loop), inputs_(std::move(inputs)), spec_(inputs_.spec),
      service_({"Belljar", "belljar-supervisor", BELLJAR_VERSION, ""}), server_(loop, service_),
      events_(inputs_.state_folder + "/" + kRecordFile, [this] { return recorder_ ? recorder_->last_sequence() : 0; }),
      detached_(spec_.detached), inside_(loop, std::move(inputs_.link),
              {.message = [this](link::Message message) { received(std::move(message)); },
               .closed = [this](const std::string& reason) { link_closed(reason); }}),
      signals_(loop, SIGCHLD, SIGTERM), deadline_(loop), kill_timer_(loop), sample_timer_(loop), end_timer_(loop) {
    service_.add_interface(interfaces::org_belljar_Session);
    register_methods();
    server_.on_drained = [this] {
        events_.pump();
        if (stage_ == Stage::Ended) linger();
    };
}

Session::~Session() = default;

void Session::start() {
    server_.listen(std::move(inputs_.listener));
    if (inputs_.owner) {
        owner_there_ = true;
        server_.adopt(std::move(inputs_.owner), "the session's owner", [this] { owner_gone(); });
    }
    watch_signals();
    boost::asio::post(loop_, [this] { prepare(); });
    deadline_.expires_after(kMustStartWithin);
    deadline_.async_wait([this](const boost::system::error_code& error) {
        if (!error && stage_ == Stage::Starting)
            fail("start", Error{"start the session", "it did not start in time", {}, 0});
    });
}

void Session::watch_signals() {
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
        if (error) return;
        if (number == SIGCHLD)
            reap();
        else
            stop(kStopGrace, 128 + SIGTERM, "the supervisor was told to end", {SIGHUP, SIGTERM});
        watch_signals();
    });
}

void Session::finish() {
    if (recorder_) recorder_->finish();
}

} // namespace belljar
