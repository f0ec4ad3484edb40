// Our own table of x86-64 system calls (libseccomp 2.5 does not know the newest): number and name. Needs no library, so the
// supervisor, which names denials, can use it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace belljar {

struct SyscallEntry { int number; std::string_view name; };

std::span<const SyscallEntry> syscall_table();              // sorted by number, x86-64, up to the newest known
std::optional<int> syscall_number(std::string_view name);
std::string_view syscall_name(int number);                  // "" when unknown
// With which errno a denied call of this number is answered (the supervisor answers, see DESIGN: Seccomp): EPERM; socket and
// socketpair EAFNOSUPPORT; …
int denial_errno(int number);

} // namespace belljar
