// SHA-256 of a policy file, so that a record says which text was in force.
#pragma once

#include <string>
#include <string_view>

namespace belljar {

std::string sha256_hex(std::string_view bytes); // 64 lower-case hexadecimal digits

} // namespace belljar
