// What stands around the door in its tests: a recorder that keeps events in memory, a resolver that the test answers
// for.
#pragma once

#include "core/system/descriptor_passing.h"
#include "helper/supervisor/outside.h"
#include "helper/supervisor/recorder.h"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

namespace belljar::test {

class FakeRecorder final : public Recorder {
public:
    std::vector<NewEvent> events;
    std::vector<std::string> committed; // kinds
    bool broken = false;
    std::function<void()> when_committing; // just before

    std::uint64_t next_connection() override { return ++connections_; }
    Status commit(NewEvent event) override {
        if (when_committing) when_committing();
        if (broken) return failure("record", "disk full");
        committed.push_back(event.kind);
        events.push_back(std::move(event));
        return {};
    }
    void note(NewEvent event) override { events.push_back(std::move(event)); }
    void note_repeating(const std::string& key, NewEvent event) override {
        if (repeat(key)) return;
        folds_.emplace(key, events.size());
        event.fields["count"] = 1;
        events.push_back(std::move(event));
    }
    bool repeat(const std::string& key) override {
        const auto fold = folds_.find(key);
        if (fold == folds_.end()) return false;
        auto& count = events[fold->second].fields["count"];
        count = count.get<int>() + 1;
        return true;
    }
    const SessionTotals& totals() const override { return totals_; }

    std::size_t count(const std::string& kind, const std::string& verdict = {}) const {
        std::size_t found = 0;
        for (const NewEvent& event : events)
            if (event.kind == kind && (verdict.empty() || event.fields.value("verdict", "") == verdict)) ++found;
        return found;
    }
    // The fields of the last event of a kind; null when there is none.
    Json last(const std::string& kind, const std::string& verdict = {}) const {
        for (auto event = events.rbegin(); event != events.rend(); ++event)
            if (event->kind == kind && (verdict.empty() || event->fields.value("verdict", "") == verdict))
                return event->fields;
        return nullptr;
    }

private:
    std::uint64_t connections_ = 0;
    std::map<std::string, std::size_t> folds_;
    SessionTotals totals_;
};

// The resolver's end of its socket. A name without addresses fails; one that is not listed is never answered.
class FakeResolver {
public:
    FakeResolver() {
        auto pair = make_socketpair(SOCK_SEQPACKET | SOCK_NONBLOCK);
        client = std::move(pair.value().first);
        server = std::move(pair.value().second);
    }
    void serve() {
        char message[16384];
        for (ssize_t length = 0;
             server && (length = ::recv(server.get(), message, sizeof message, MSG_DONTWAIT)) > 0;) {
            const auto request = nlohmann::json::parse(std::string_view(message, static_cast<std::size_t>(length)));
            asked.push_back(request["name"]);
            const auto known = names.find(asked.back());
            if (known == names.end()) continue;
            nlohmann::json reply{{"request", request["request"]}};
            if (known->second.empty()) {
                reply["error"] = "Name or service not known";
                reply["code"] = -2;
            } else {
                reply["addresses"] = known->second;
            }
            const std::string text = reply.dump();
            (void)::send(server.get(), text.data(), text.size(), MSG_NOSIGNAL);
        }
    }
    UniqueFd client, server;
    std::map<std::string, std::vector<std::string>> names;
    std::vector<std::string> asked;
};

// Runs the loop until something holds; false when it does not within `patience`.
template <class Condition>
bool run_until(boost::asio::io_context& loop, const Condition& holds,
               std::chrono::milliseconds patience = std::chrono::seconds(5)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        loop.restart();
        loop.run_one_for(std::chrono::microseconds(200));
        loop.poll();
    }
    return true;
}

} // namespace belljar::test
