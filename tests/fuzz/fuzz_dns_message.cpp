#include "core/egress/dns_message.h"
#include "fuzz.h"

#include <algorithm>

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto query = dns::parse_query(fuzz::span_of(bytes, size));
    if (!query) {
        if (query.error().answer)
            fuzz::require(query.error().answer->size() >= 12 && query.error().answer->size() <= 512,
                          "a refusal is a small message");
        return 0;
    }
    fuzz::require(query->question.size() + 12 <= size, "the question was in the message");
    fuzz::require(query->name.size() <= 4 * 255, "a name is bounded");
    fuzz::require(std::all_of(query->name.begin(), query->name.end(), [](char c) { return c > ' ' && c < 0x7F; }),
                  "a name is printable");
    const auto address = dns::answer_address(*query, IpAddress::v4(0xC6120002), 60);
    fuzz::require(address.size() <= 512, "an answer fits any datagram");
    fuzz::require(std::equal(query->question.begin(), query->question.end(), address.begin() + 12),
                  "the question is echoed");
    fuzz::require(dns::answer_nothing(*query, dns::Rcode::NxDomain, 5).size() <= 512,
                  "a negative answer fits any datagram");
    if (const auto ip = dns::address_of_pointer(query->name)) dns::answer_pointer(*query, "example.net", 60);
    return 0;
}
