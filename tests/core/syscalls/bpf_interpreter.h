// Runs a seccomp program as the kernel would (Documentation/userspace-api/seccomp_filter.rst), for the instructions
// that seccomp(2) accepts and libseccomp uses. Anything else is a mistake of the program and throws.
#pragma once

#include "core/syscalls/filter.h"

#include <QString>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace belljar {

struct Outcome {
    std::uint32_t action = 0; // SECCOMP_RET_…, data included
    int steps = 0;
};

inline Outcome run_bpf(std::span<const sock_filter> program, const seccomp_data& input) {
    std::uint32_t a = 0;
    Outcome outcome;
    for (std::size_t pc = 0;; ++pc) {
        if (pc >= program.size()) throw std::runtime_error("the program runs off its end");
        ++outcome.steps;
        const sock_filter& one = program[pc];
        switch (one.code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (one.k % 4 != 0 || one.k + 4 > sizeof input) throw std::runtime_error("a load outside of seccomp_data");
            std::memcpy(&a, reinterpret_cast<const char*>(&input) + one.k, 4);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= one.k;
            break;
        case BPF_JMP | BPF_JA:
            pc += one.k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            pc += a == one.k ? one.jt : one.jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            pc += a >= one.k ? one.jt : one.jf;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            pc += a > one.k ? one.jt : one.jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            pc += (a & one.k) != 0 ? one.jt : one.jf;
            break;
        case BPF_RET | BPF_K:
            outcome.action = one.k;
            return outcome;
        default:
            throw std::runtime_error("an instruction that is not expected");
        }
    }
}

// For the tests of whole filters.
inline constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW, kNotify = SECCOMP_RET_USER_NOTIF,
                               kNoSys = SECCOMP_RET_ERRNO | ENOSYS;

using Arguments = std::vector<std::uint64_t>;

inline Outcome run(const std::vector<sock_filter>& program, int number, const Arguments& arguments = {},
                   std::uint32_t arch = AUDIT_ARCH_X86_64) {
    seccomp_data input{};
    input.nr = number;
    input.arch = arch;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        input.args[i] = arguments[i];
    return run_bpf(program, input);
}

// The program of a built-in profile.
inline const std::vector<sock_filter>& program(const std::string& profile) {
    static std::map<std::string, std::vector<sock_filter>> built;
    auto& one = built[profile];
    if (one.empty()) one = build_filter(SyscallSpec{profile, {}, {}}).value();
    return one;
}

inline QString word(std::uint32_t action) {
    return action == kAllow    ? "allow"
           : action == kNotify ? "notify"
           : action == kNoSys  ? "enosys"
                               : QString::number(action, 16);
}

} // namespace belljar
