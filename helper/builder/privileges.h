// Lets go of every privilege, for good (capabilities(7), prctl(2), keyrings(7)).
#pragma once

#include "core/system/error.h"

namespace belljar {

// Empties every capability set, the bounding and the ambient one included; locks the securebits so that none comes back with
// an exec; sets no_new_privs; joins a new, empty session keyring.
Status drop_all_privileges();

} // namespace belljar
