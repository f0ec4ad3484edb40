// Who runs a session, and what it is called.
#pragma once

#include "core/system/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace belljar {

// 12 lower-case hexadecimal digits from getrandom(2).
std::string new_session_id();
bool is_session_id(std::string_view text);
// A display name: 1 to 64 characters of valid UTF-8 without control characters or '/', not starting with '-'.
Status check_session_name(std::string_view name);

struct Account {
    std::string name, home, shell;
    uid_t uid = 0;
    gid_t gid = 0;
};
// From /etc/passwd (passwd(5)), else by `getent passwd` (the programs are static, and static glibc has no NSS).
Result<Account> find_account(uid_t uid);
Result<Account> find_account(std::string_view name);

// Real root: uid 0 that the initial user namespace knows as uid 0 (user_namespaces(7); uid_map "0 0 4294967295").
bool is_real_root();

} // namespace belljar
