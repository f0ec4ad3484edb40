#include "core/egress/http_head.h"
#include "fuzz.h"

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto reader = fuzz::read_both_ways<HttpHeadReader>(fuzz::span_of(bytes, size));
    if (reader.state() != HttpHeadReader::State::Complete) return 0;
    const std::string_view all = fuzz::text_of(bytes, size);
    const std::string_view head = all.substr(0, all.find("\r\n\r\n"));
    fuzz::require(head.size() < all.size(), "a head ends with an empty line");
    if (!reader.head().host) return 0;
    fuzz::require(head.find(*reader.head().host) != head.npos, "a host was in the bytes");
    if (const auto host = host_of_authority(*reader.head().host))
        fuzz::require(host->find('@') == host->npos, "a host has no user");
    return 0;
}
