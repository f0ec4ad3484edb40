// From the bytes of a policy file to a TOML table, or to the place where it is none.
#pragma once

#include "core/policy/policy.h"
#include "core/policy/toml.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace belljar {

// `file` is what the diagnostic names. Bytes from anyone: no NUL, valid UTF-8, nesting as deep as toml++ allows (256).
tl::expected<toml::table, Diagnostic> read_document(std::string_view text, const std::string& file);

} // namespace belljar
