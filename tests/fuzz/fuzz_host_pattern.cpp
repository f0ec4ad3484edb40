#include "core/egress/host_pattern.h"
#include "fuzz.h"

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text = fuzz::text_of(bytes, size);
    if (const auto name = normalise_host_name(text)) {
        fuzz::require(!name->empty() && name->size() <= 253, "a name has a length");
        const auto again = normalise_host_name(*name);
        fuzz::require(again && *again == *name, "normalising twice changes nothing");
    }
    const auto pattern = HostPattern::parse(text);
    if (!pattern) return 0;
    fuzz::require(pattern->kind != HostPattern::Kind::Everything, "everything is never meant by accident");
    if (pattern->kind == HostPattern::Kind::Name)
        fuzz::require(pattern->matches_name(pattern->name), "a name matches itself");
    if (pattern->kind == HostPattern::Kind::Subdomains) {
        fuzz::require(!pattern->matches_name(pattern->name), "subdomains do not match the name itself");
        fuzz::require(!pattern->matches_name("x" + pattern->name), "nor what only ends alike");
    }
    if (pattern->kind == HostPattern::Kind::Network)
        fuzz::require(pattern->prefix_length <= (pattern->network.v6 ? 128u : 32u), "a prefix fits its family");
    return 0;
}
