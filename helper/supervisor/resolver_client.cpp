#include "helper/supervisor/resolver_client.h"

#include "core/system/error.h"
#include "helper/resolver/protocol.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

namespace belljar {
namespace {

constexpr std::chrono::seconds kKeep{10}, kPatience{30};
constexpr std::size_t kMaxKept = 1024;
constexpr std::size_t kMaxInFlight = 64;  // few enough for the socket's buffer
constexpr std::size_t kMaxPending = 4096; // names that are asked for at once
constexpr std::size_t kMaxAddresses = 32;

} // namespace

ResolverClient::ResolverClient(boost::asio::io_context& loop, UniqueFd socket)
    : socket_(loop), timer_(loop), gone_(!socket) {
    if (socket) socket_.assign(socket.release());
}

void ResolverClient::start() {
    if (gone_) return;
    socket_.non_blocking(true);
    wait_for_reply();
}

void ResolverClient::stop() {
    gone_ = true;
    boost::system::error_code ignored; // closing a socket that we own: nothing to report
    socket_.close(ignored);
    timer_.cancel();
    pending_.clear();
    sent_.clear();
    queue_.clear();
}

void ResolverClient::look_up(const std::string& name, Done done) {
    const auto now = Clock::now();
    if (const auto kept = kept_.find(name); kept != kept_.end()) {
        if (kept->second.until > now) return done(LookUp{kept->second.addresses, 0, {}});
        kept_.erase(kept);
    }
    if (gone_) return done(LookUp{{}, EHOSTUNREACH, "the resolver is not there"});
    if (const auto pending = pending_.find(name); pending != pending_.end())
        return pending->second.waiting.push_back(std::move(done));
    if (pending_.size() >= kMaxPending) return done(LookUp{{}, EAGAIN, "too many names are being resolved at once"});
    Pending& pending = pending_[name];
    pending.waiting.push_back(std::move(done));
    pending.deadline = now + kPatience;
    queue_.push_back(name);
    send_queued();
    arm_timer();
}

void ResolverClient::send_queued() {
    while (!queue_.empty() && sent_.size() < kMaxInFlight && !gone_) {
        const std::string name = queue_.front();
        const auto pending = pending_.find(name);
        if (pending == pending_.end() || pending->second.request != 0) { // given up on meanwhile
            queue_.pop_front();
            continue;
        }
        const std::uint64_t request = last_request_ + 1;
        const std::string message = nlohmann::json{{"request", request}, {"name", name}}.dump();
        const ssize_t sent =
            ::send(socket_.native_handle(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN && !sent_.empty()) return; // the next reply makes room
        queue_.pop_front();
        if (sent < 0)
            return fail_all(fmt::format("the resolver cannot be asked: {}", system_failure("send").value().message()));
        last_request_ = request;
        pending->second.request = request;
        sent_.emplace(request, name);
    }
}

void ResolverClient::wait_for_reply() {
    socket_.async_wait(socket_.wait_read, [weak = weak_from_this()](boost::system::error_code error) {
        const auto self = weak.lock();
        if (!self || error || self->gone_) return;
        self->read_replies();
        if (!self->gone_) self->wait_for_reply();
    });
}

void ResolverClient::read_replies() {
    std::array<char, kMaxResolverMessage> message;
    while (!gone_) {
        const ssize_t length =
            ::recv(socket_.native_handle(), message.data(), message.size(), MSG_DONTWAIT | MSG_TRUNC);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0 && errno == EAGAIN) return;
        if (length <= 0) return fail_all("the resolver has ended");
        if (static_cast<std::size_t>(length) <= message.size())
            take_reply({message.data(), static_cast<std::size_t>(length)});
    }
}

void ResolverClient::take_reply(std::string_view message) {
    const auto reply = nlohmann::json::parse(message, nullptr, false);
    if (!reply.is_object()) return fail_all("the resolver's answer cannot be read");
    const auto request = reply.find("request");
    if (request == reply.end() || !request->is_number_unsigned())
        return fail_all("the resolver's answer cannot be read");
    const auto sent = sent_.find(request->get<std::uint64_t>());
    if (sent == sent_.end()) return; // given up on meanwhile
    const std::string name = sent->second;
    sent_.erase(sent);

    LookUp result;
    if (const auto list = reply.find("addresses"); list != reply.end() && list->is_array())
        for (const auto& text : *list) {
            if (!text.is_string() || result.addresses.size() >= kMaxAddresses) continue;
            if (const auto ip = IpAddress::parse(text.get_ref<const std::string&>())) result.addresses.push_back(*ip);
        }
    if (result.addresses.empty()) {
        const auto error = reply.find("error");
        result.errno_value = EHOSTUNREACH;
        result.reason = error != reply.end() && error->is_string() ? visible(error->get_ref<const std::string&>())
                                                                   : "no usable address";
        result.reason = fmt::format("{} does not resolve: {}", name, result.reason);
    }
    finish(name, result);
    send_queued();
}

void ResolverClient::finish(const std::string& name, const LookUp& result) {
    const auto pending = pending_.find(name);
    if (pending == pending_.end()) return;
    const std::vector<Done> waiting = std::move(pending->second.waiting);
    pending_.erase(pending);
    if (!result.addresses.empty()) keep(name, result.addresses);
    for (const Done& done : waiting)
        done(result);
}

void ResolverClient::keep(const std::string& name, const std::vector<IpAddress>& addresses) {
    const auto now = Clock::now();
    if (kept_.size() >= kMaxKept) std::erase_if(kept_, [&](const auto& each) { return each.second.until <= now; });
    if (kept_.size() < kMaxKept) kept_[name] = Kept{addresses, now + kKeep};
}

void ResolverClient::fail_all(const std::string& reason) {
    gone_ = true;
    timer_.cancel();
    sent_.clear();
    queue_.clear();
    const auto pending = std::exchange(pending_, {});
    for (const auto& [name, each] : pending)
        for (const Done& done : each.waiting)
            done(LookUp{{}, EHOSTUNREACH, reason});
}

void ResolverClient::arm_timer() {
    if (timer_armed_ || pending_.empty()) return;
    timer_armed_ = true;
    timer_.expires_after(std::chrono::seconds(1));
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
        const auto self = weak.lock();
        if (!self) return;
        self->timer_armed_ = false;
        if (error || self->gone_) return;
        std::vector<std::string> late;
        for (const auto& [name, pending] : self->pending_)
            if (pending.deadline <= Clock::now()) late.push_back(name);
        for (const std::string& name : late) {
            std::erase_if(self->sent_, [&](const auto& each) { return each.second == name; });
            self->finish(name, LookUp{{}, ETIMEDOUT, fmt::format("{} does not resolve: no answer in time", name)});
        }
        self->send_queued();
        self->arm_timer();
    });
}

} // namespace belljar
