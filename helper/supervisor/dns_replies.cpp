#include "helper/supervisor/dns_replies.h"

namespace belljar {
namespace {

using dns::Rcode;

bool is_localhost(const std::string& name) {
    return name == "localhost" || name.ends_with(".localhost");
}

IpAddress loopback(bool v6) {
    if (!v6) return IpAddress::v4(0x7F000001);
    IpAddress ip;
    ip.v6 = true;
    ip.bytes[15] = 1;
    return ip;
}

dns::Message answer_localhost(const dns::Query& query) {
    if (query.type == dns::type::kA) return dns::answer_address(query, loopback(false), kStandInTtl);
    if (query.type == dns::type::kAaaa) return dns::answer_address(query, loopback(true), kStandInTtl);
    return dns::answer_nothing(query, Rcode::NoError, kNegativeTtl);
}

DnsOutcome answer_pointer(const Judge& judge, const dns::Query& query, const IpAddress& ip) {
    if (ip == loopback(false) || ip == loopback(true))
        return {dns::answer_pointer(query, "localhost", kStandInTtl), std::nullopt};
    const auto name = judge.name_of(ip);
    DnsOutcome::Asked asked{query.name, dns::type_text(query.type), {}};
    if (!name) {
        asked.verdict = Verdict{false, false, {}, "an address that stands for no name in this session"};
        return {dns::answer_nothing(query, Rcode::NxDomain, kNegativeTtl), std::move(asked)};
    }
    asked.verdict = decide_name(judge.policy(), *name);
    asked.verdict.allowed = true;
    return {dns::answer_pointer(query, *name, kStandInTtl), std::move(asked)};
}

} // namespace

DnsOutcome answer_dns(Judge& judge, std::span<const std::byte> message) {
    auto query = dns::parse_query(message);
    if (!query) {
        const Verdict verdict{false, false, {}, "malformed: " + std::string(query.error().reason)};
        return {std::move(query.error().answer), DnsOutcome::Asked{{}, {}, verdict}};
    }
    if (query->type == dns::type::kPtr)
        if (const auto ip = dns::address_of_pointer(query->name)) return answer_pointer(judge, *query, *ip);

    DnsOutcome::Asked asked{query->name, dns::type_text(query->type), {}};
    const auto name = normalise_host_name(query->name);
    if (!name) {
        asked.verdict = Verdict{false, false, {}, "not a host name"};
        return {dns::answer_nothing(*query, Rcode::NxDomain, kNegativeTtl), std::move(asked)};
    }
    if (is_localhost(*name)) return {answer_localhost(*query), std::nullopt};
    asked.name = *name;
    asked.verdict = decide_name(judge.policy(), *name);
    if (!asked.verdict.allowed) return {dns::answer_nothing(*query, Rcode::NxDomain, kNegativeTtl), std::move(asked)};
    if (query->type != dns::type::kA)
        return {dns::answer_nothing(*query, Rcode::NoError, kNegativeTtl), std::move(asked)};
    const auto stand_in = judge.stand_in(*name);
    if (!stand_in) {
        asked.verdict = Verdict{false, false, asked.verdict.rule, "no stand-in address is left for another name"};
        return {dns::answer_nothing(*query, Rcode::ServFail, 0), std::move(asked)};
    }
    return {dns::answer_address(*query, *stand_in, kStandInTtl), std::move(asked)};
}

} // namespace belljar
