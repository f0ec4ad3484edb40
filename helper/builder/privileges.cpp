#include "helper/builder/privileges.h"

#include <cerrno>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar {
namespace {

constexpr unsigned kLockedBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                                 SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

} // namespace

Status drop_all_privileges() {
    // A kernel without keyrings (ENOSYS) has nothing to leave behind.
    if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 && errno != ENOSYS) return system_failure("join a new session keyring");
    for (cap_value_t cap = 0; cap_get_bound(cap) >= 0; ++cap)
        if (cap_drop_bound(cap) != 0) return system_failure("empty the bounding set");
    if (cap_reset_ambient() != 0) return system_failure("empty the ambient set");
    if (cap_set_secbits(kLockedBits) != 0) return system_failure("lock the securebits");
    cap_t none = cap_init();
    if (none == nullptr) return system_failure("make an empty capability set");
    const int set = cap_set_proc(none);
    const int saved = errno;
    cap_free(none);
    if (set != 0) return system_failure("drop capabilities", saved);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return system_failure("set no_new_privs");
    return {};
}

} // namespace belljar
