// One program of three parts, in the order in which the kernel runs them:
//   1. a few instructions of our own: other architectures, x32 and numbers beyond the table answer ENOSYS (libseccomp
//   cannot
//      say "every other number", and its default action is taken by the notification);
//   2. the refusals (refusals.cpp), built by libseccomp with "allow" as its default;
//   3. the profile, built by libseccomp with "notify" as its default.
// Two libseccomp programs, because one cannot hold "allow this call, but notify for these arguments": a rule without
// conditions swallows those with conditions, and complements of masked comparisons do not exist. Where part 2 allows, a
// jump leads on into part 3. A program is position-independent, so joining them is copying. Calls whose verdict depends
// on the number alone cost nothing at run time: the kernel finds them out when it installs the filter and then skips it
// (5.11 and later).
//
// ENOSYS, not death, for other ABIs: it is what a kernel without them says, and a program that only asks goes on.
#include "core/syscalls/filter.h"

#include "core/syscalls/profile.h"
#include "core/syscalls/table.h"
#include "core/system/unique_fd.h"

#include <cerrno>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <memory>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the call table and the filter are those of x86-64"
#endif

namespace belljar {
namespace {

using Program = std::vector<sock_filter>;

constexpr std::uint32_t kReturnNotThere = SECCOMP_RET_ERRNO | ENOSYS;

struct ReleaseContext {
    void operator()(void* context) const { seccomp_release(context); }
};
using Context = std::unique_ptr<void, ReleaseContext>;

// libseccomp returns a negative errno.
Status check(int result, const std::string& what) {
    if (result < 0) return system_failure(what, -result);
    return {};
}

Result<Context> make_context(std::uint32_t default_action) {
    // Otherwise the library asks the running kernel what it may build, and a build inside a container would differ.
    if (Status set = check(seccomp_api_set(5), "seccomp_api_set"); !set) return tl::unexpected(set.error());
    Context context(seccomp_init(default_action));
    if (!context) return failure("seccomp_init", "out of memory, or an unknown action");
    if (Status set =
            check(seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)), "seccomp_attr_set");
        !set)
        return tl::unexpected(set.error());
    // A binary tree over the numbers instead of a list: a denied call and the hot ones with conditions (openat, ioctl)
    // take some ten comparisons instead of hundreds.
    if (Status set = check(seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), "seccomp_attr_set"); !set)
        return tl::unexpected(set.error());
    return context;
}

Status add_rule(const Context& context, std::uint32_t action, int number, const Conditions& conditions) {
    std::vector<scmp_arg_cmp> compared;
    for (const MaskedArgument& one : conditions)
        compared.push_back(SCMP_CMP(one.argument, SCMP_CMP_MASKED_EQ, one.mask, one.value));
    // What the kernel cannot judge by its number stands first in the program.
    if (!conditions.empty())
        if (Status set = check(seccomp_syscall_priority(context.get(), number, 255), "seccomp_syscall_priority"); !set)
            return set;
    return check(seccomp_rule_add_exact_array(context.get(), action, number, static_cast<unsigned>(compared.size()),
                                              compared.data()),
                 fmt::format("filter rule for {}", syscall_name(number)));
}

Result<Program> export_program(const Context& context) {
    const UniqueFd file(::memfd_create("filter", MFD_CLOEXEC));
    if (!file) return system_failure("memfd_create");
    if (Status written = check(seccomp_export_bpf(context.get(), file.get()), "seccomp_export_bpf"); !written)
        return tl::unexpected(written.error());
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    if (size <= 0 || size % static_cast<off_t>(sizeof(sock_filter)) != 0)
        return failure("seccomp_export_bpf", "no whole program");
    Program program(static_cast<std::size_t>(size) / sizeof(sock_filter));
    if (::pread(file.get(), program.data(), static_cast<std::size_t>(size), 0) != size)
        return system_failure("read the filter");
    return program;
}

Result<Program> refusal_part(bool nested) {
    auto context = make_context(SCMP_ACT_ALLOW);
    if (!context) return tl::unexpected(context.error());
    std::vector<Refusal> all = refusals();
    if (nested) all.insert(all.end(), nested_refusals().begin(), nested_refusals().end());
    for (const Refusal& refusal : all) {
        const std::uint32_t action = refusal.is_notified ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(ENOSYS);
        if (Status added = add_rule(*context, action, refusal.number, refusal.conditions); !added)
            return tl::unexpected(added.error());
    }
    return export_program(*context);
}

Result<Program> profile_part(const AllowedCalls& calls) {
    auto context = make_context(SCMP_ACT_NOTIFY);
    if (!context) return tl::unexpected(context.error());
    for (const auto& [number, alternatives] : calls) {
        if (alternatives.empty())
            if (Status added = add_rule(*context, SCMP_ACT_ALLOW, number, {}); !added)
                return tl::unexpected(added.error());
        for (const Conditions& conditions : alternatives)
            if (Status added = add_rule(*context, SCMP_ACT_ALLOW, number, conditions); !added)
                return tl::unexpected(added.error());
    }
    return export_program(*context);
}

sock_filter statement(unsigned code, std::uint32_t k) {
    return BPF_STMT(static_cast<__u16>(code), k);
}
sock_filter jump(unsigned code, std::uint32_t k, unsigned if_true, unsigned if_false) {
    return BPF_JUMP(static_cast<__u16>(code), k, static_cast<__u8>(if_true), static_cast<__u8>(if_false));
}

// Every number that the table lacks, x32 ones (bit 30) and -1 among them.
Program unknown_number_part() {
    Program program = {
        statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
        jump(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        statement(BPF_RET | BPF_K, kReturnNotThere),
        statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    };
    int expected = 0;
    for (const SyscallEntry& entry : syscall_table()) {
        if (entry.number != expected) {
            // in [expected, number): not there
            program.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, static_cast<std::uint32_t>(entry.number), 2, 0));
            program.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, static_cast<std::uint32_t>(expected), 0, 1));
            program.push_back(statement(BPF_RET | BPF_K, kReturnNotThere));
        }
        expected = entry.number + 1;
    }
    program.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, static_cast<std::uint32_t>(expected), 0, 1));
    program.push_back(statement(BPF_RET | BPF_K, kReturnNotThere));
    return program;
}

// Where `first` returns "allow" it goes on with what is appended behind it.
void continue_where_allowed(Program& first) {
    for (std::size_t i = 0; i < first.size(); ++i)
        if (first[i].code == (BPF_RET | BPF_K) && first[i].k == SECCOMP_RET_ALLOW)
            first[i] = statement(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(first.size() - i - 1));
}

} // namespace

Result<std::vector<sock_filter>> build_filter(const SyscallSpec& spec) {
    const auto calls = allowed_calls(spec);
    if (!calls) return tl::unexpected(calls.error());
    auto refused = refusal_part(spec.nested);
    if (!refused) return tl::unexpected(refused.error());
    const auto profile = profile_part(*calls);
    if (!profile) return tl::unexpected(profile.error());
    continue_where_allowed(*refused);
    Program program = unknown_number_part();
    program.insert(program.end(), refused->begin(), refused->end());
    program.insert(program.end(), profile->begin(), profile->end());
    if (program.size() > BPF_MAXINSNS)
        return failure("build the filter", "the program is longer than the kernel takes");
    return program;
}

} // namespace belljar
