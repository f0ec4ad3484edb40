// What holds inside, in the words of the record: one line "name state detail" a layer, read from the kernel where it can be.
#pragma once

#include "core/session/spec.h"

#include <optional>
#include <string>

namespace belljar {

std::string describe_layers(const SessionSpec& spec, std::optional<int> landlock);

} // namespace belljar
