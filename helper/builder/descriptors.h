// Puts descriptors at the numbers a new program expects and closes everything else at its exec (close_range(2), dup3(2)).
#pragma once

#include "core/system/error.h"

#include <span>

namespace belljar {

struct PlacedFd { int fd; int target; };

// Every target is < 64 and open across exec afterwards; all others, 0 to 2 excepted, are close-on-exec. A target that is
// already in use by something else is lost. Descriptors needed until the exec itself must be ≥ 64 (see move_high).
Status place_descriptors(std::span<const PlacedFd> placed);
// A close-on-exec copy at 64 or above.
Result<int> move_high(int fd);

} // namespace belljar
