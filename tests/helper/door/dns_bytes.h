// DNS queries for tests.
#pragma once

#include "tests/core/egress_parsers/hello_bytes.h"

namespace belljar::test {

inline Bytes dns_query(std::string_view dotted, unsigned type = 1, unsigned id = 7) {
    Bytes out = number(id, 2) + number(0x0100, 2) + number(1, 2) + Bytes(6, '\0');
    while (!dotted.empty()) {
        const auto label = dotted.substr(0, dotted.find('.'));
        out += vec(Bytes(label), 1);
        dotted.remove_prefix(std::min(dotted.size(), label.size() + 1));
    }
    return out + Bytes(1, '\0') + number(type, 2) + number(1, 2);
}
inline int dns_rcode(const Bytes& answer) {
    return answer.size() < 4 ? -1 : static_cast<unsigned char>(answer[3]) & 0xF;
}
inline int dns_answers(const Bytes& answer) {
    return answer.size() < 8 ? -1 : static_cast<unsigned char>(answer[7]);
}

} // namespace belljar::test
