#include "helper/resolver/requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace belljar {
namespace {

bool is_host_name(std::string_view name) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    };
    return !name.empty() && name.size() <= 253 && name.front() != '-' && std::all_of(name.begin(), name.end(), plain);
}

} // namespace

Result<ResolveRequest> parse_request(std::string_view message) {
    const auto json = nlohmann::json::parse(message, nullptr, false);
    if (!json.is_object() || json.size() != 2) return failure("resolver request", "not an object of two members");
    const auto request = json.find("request");
    const auto name = json.find("name");
    if (request == json.end() || !request->is_number_unsigned())
        return failure("resolver request", "no request number");
    if (name == json.end() || !name->is_string()) return failure("resolver request", "no name");
    ResolveRequest out{request->get<std::uint64_t>(), name->get<std::string>()};
    if (!is_host_name(out.name)) return failure("resolver request", "not a host name");
    return out;
}

std::string encode(const ResolveReply& reply) {
    nlohmann::ordered_json json{{"request", reply.request}};
    if (reply.error.empty()) {
        json["addresses"] = reply.addresses;
    } else {
        json["error"] = reply.error;
        json["code"] = reply.code;
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace belljar
