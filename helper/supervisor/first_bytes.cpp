#include "helper/supervisor/first_bytes.h"

#include "core/egress/host_pattern.h"

#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::uint16_t kHttpsPort = 443, kHttpPort = 80;
constexpr std::size_t kShownBytes = 256; // of a name as seen, in a reason

bool same_host(std::string_view seen, const std::string& normalised_name) {
    const auto normalised = normalise_host_name(seen);
    return normalised && *normalised == normalised_name;
}

std::string shown(std::string_view seen) {
    return seen.empty() ? "empty" : visible(seen.substr(0, kShownBytes));
}

} // namespace

bool FirstBytes::needed(const Destination& destination, bool raw) {
    return !raw && !destination.host_service && !destination.name.empty() &&
           (destination.port == kHttpsPort || destination.port == kHttpPort);
}

FirstBytes::FirstBytes(std::string normalised_name, std::uint16_t port) : name_(std::move(normalised_name)) {
    if (port == kHttpPort) reader_.emplace<HttpHeadReader>();
}

FirstBytes::State FirstBytes::refuse(std::string reason) {
    reason_ = std::move(reason);
    return State::Refused;
}

FirstBytes::State FirstBytes::feed(std::span<const std::byte> bytes) {
    if (auto* tls = std::get_if<ClientHelloReader>(&reader_)) {
        switch (tls->feed(bytes)) {
        case ClientHelloReader::State::More:
            return State::More;
        case ClientHelloReader::State::Refused:
            return refuse(fmt::format("the first bytes are {}", tls->reason()));
        case ClientHelloReader::State::Complete:
            return judge(tls->hello());
        }
    }
    auto& http = std::get<HttpHeadReader>(reader_);
    switch (http.feed(bytes)) {
    case HttpHeadReader::State::More:
        return State::More;
    case HttpHeadReader::State::Refused:
        return refuse(fmt::format("the first bytes are {}", http.reason()));
    case HttpHeadReader::State::Complete:
        return judge(http.head());
    }
    return refuse("the first bytes could not be read");
}

FirstBytes::State FirstBytes::judge(const ClientHello& hello) {
    if (!hello.server_name)
        return refuse(fmt::format("the TLS ClientHello has no server name, and {} is needed", name_));
    if (same_host(*hello.server_name, name_)) return State::Pass;
    return refuse(fmt::format("the {} is {}, not {}",
                              hello.encrypted ? "outer server name of an encrypted ClientHello" : "TLS server name",
                              shown(*hello.server_name), name_));
}

FirstBytes::State FirstBytes::judge(const HttpHead& head) {
    if (!head.host) return refuse(fmt::format("the HTTP request has no Host, and {} is needed", name_));
    const auto host = host_of_authority(*head.host);
    if (!host || !same_host(*host, name_))
        return refuse(fmt::format("the HTTP Host is {}, not {}", shown(*head.host), name_));
    if (!head.target_host) return State::Pass;
    const auto target = host_of_authority(*head.target_host);
    if (target && same_host(*target, name_)) return State::Pass;
    return refuse(fmt::format("the HTTP request is for {}, not {}", shown(*head.target_host), name_));
}

std::string FirstBytes::unfinished_reason(bool end_of_file) const {
    const bool tls = std::holds_alternative<ClientHelloReader>(reader_);
    const char* what = tls ? "TLS ClientHello" : "HTTP request";
    return end_of_file ? fmt::format("the connection ended before its {} was complete", what)
                       : fmt::format("no complete {} came in time", what);
}

} // namespace belljar
