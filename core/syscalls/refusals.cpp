// What no profile and no policy gives: calls whose arguments the filter cannot read, and arguments with which an
// ordinary call would leave something for the host (setuid files, input typed into a terminal) or pass the supervisor
// by.
#include "core/syscalls/profile.h"
#include "core/syscalls/table.h"

#include <algorithm>
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace belljar {
namespace {

constexpr std::uint64_t kInt = 0xffffffff;

class List {
public:
    void missing(std::string_view call, std::string_view reason) { add(call, {}, false, reason); }
    void notified(std::string_view call, Conditions conditions, std::string_view reason) {
        add(call, std::move(conditions), true, reason);
    }
    std::vector<Refusal> take() { return std::move(list_); }

private:
    void add(std::string_view call, Conditions conditions, bool is_notified, std::string_view reason) {
        list_.push_back({syscall_number(call).value(), std::move(conditions), is_notified, reason});
    }
    std::vector<Refusal> list_;
};

// One rule for each combination of the two bits: libseccomp compares a masked argument for equality only.
constexpr std::uint64_t kSetidBits[] = {S_ISUID, S_ISGID, S_ISUID | S_ISGID};
constexpr std::uint64_t kSetidMask = S_ISUID | S_ISGID;
constexpr std::string_view kSetidReason = "setuid and setgid bits";

void refuse_setid(List& list) {
    struct ModeArgument {
        std::string_view call;
        unsigned argument;
    };
    static constexpr ModeArgument modes[] = {{"chmod", 1},     {"fchmod", 1}, {"fchmodat", 2},
                                             {"fchmodat2", 2}, {"creat", 1},  {"mkdir", 1},
                                             {"mkdirat", 2},   {"mknod", 1},  {"mknodat", 2}};
    for (const auto& [call, argument] : modes)
        for (const std::uint64_t bits : kSetidBits)
            list.notified(call, {{argument, kSetidMask, bits}}, kSetidReason);
    // open(2) reads its mode only when it may create; else the register holds anything.
    constexpr std::uint64_t unnamed = O_TMPFILE & ~O_DIRECTORY;
    struct OpenArguments {
        std::string_view call;
        unsigned flags;
    };
    for (const auto& [call, flags] : {OpenArguments{"open", 1}, OpenArguments{"openat", 2}})
        for (const std::uint64_t creates : {std::uint64_t{O_CREAT}, unnamed})
            for (const std::uint64_t bits : kSetidBits)
                list.notified(call, {{flags, creates, creates}, {flags + 1, kSetidMask, bits}}, kSetidReason);
}

std::vector<Refusal> make() {
    List list;
    // Their arguments lie in memory, where a filter cannot look and another thread can write.
    list.missing("clone3", "its flags lie in memory; clone is there");
    list.missing("openat2", "its mode lies in memory; openat is there");
    refuse_setid(list);
    for (const auto& [call, argument] : {std::pair<std::string_view, unsigned>{"mknod", 1}, {"mknodat", 2}})
        for (const std::uint64_t type : {std::uint64_t{S_IFCHR}, std::uint64_t{S_IFBLK}})
            list.notified(call, {{argument, S_IFMT, type}}, "device files");
    // The kernel reads the command as 32 bits. Both push input into a terminal, which its owner's shell would read.
    for (const std::uint64_t command : {std::uint64_t{TIOCSTI}, std::uint64_t{TIOCLINUX}})
        list.notified("ioctl", {{1, kInt, command}}, "TIOCSTI and TIOCLINUX");
    // A connection that begins with its first data would pass the notification of connect.
    for (const auto& [call, argument] :
         {std::pair<std::string_view, unsigned>{"sendto", 3}, {"sendmsg", 2}, {"sendmmsg", 3}})
        list.notified(call, {{argument, MSG_FASTOPEN, MSG_FASTOPEN}}, "MSG_FASTOPEN");
    list.notified("seccomp", {{1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER}},
                  "a second listener");
    return list.take();
}

// With CAP_NET_ADMIN over a network namespace these options load tables of the older netfilter (IPT_SO_SET_REPLACE,
// IP6T_, ARPT_, EBT_SO_SET_…, IP_VS_SO_SET_…): parsers of the kernel that many have broken into it by, on any
// internet socket. (The newer one is reached by NETLINK_NETFILTER, which no session opens.)
std::vector<Refusal> make_nested() {
    constexpr std::uint64_t firsts_of_two[] = {64, 96, 128}; // IPT/IP6T_BASE_CTL, ARPT_BASE_CTL, EBT_BASE_CTL
    constexpr std::uint64_t ip_vs = 64 + 1024 + 64, ip_vs_mask = kInt & ~std::uint64_t{15};
    static_assert((ip_vs & 15) == 0, "IP_VS_BASE_CTL … + 15 have one prefix");
    List list;
    for (const std::uint64_t level : {std::uint64_t{SOL_IP}, std::uint64_t{SOL_IPV6}})
        for (const std::uint64_t first : firsts_of_two)
            list.notified("setsockopt", {{1, kInt, level}, {2, kInt & ~std::uint64_t{1}, first}}, "netfilter tables");
    list.notified("setsockopt", {{1, kInt, SOL_IP}, {2, ip_vs_mask, ip_vs}}, "netfilter tables");
    return list.take();
}

struct Reason {
    std::string_view call, text;
};

constexpr Reason kNotToAllow[] = {
    {"connect", "every connection is decided by [egress]"},
    {"socket", "the profile's socket families are all that the door and the supervisor can judge"},
    {"socketpair", "the profile's socket types are all that the supervisor can judge"},
    {"clone3", "its arguments lie in memory, out of a filter's reach"},
    {"openat2", "its arguments lie in memory, out of a filter's reach"},
    {"io_uring_setup", "io_uring connects and opens past the filter"},
    {"io_uring_enter", "io_uring connects and opens past the filter"},
    {"io_uring_register", "io_uring connects and opens past the filter"},
};

// What a program needs to be started at all, and what init itself calls between installing the filter and the exec.
constexpr std::string_view kIndispensable[] = {
    "execve", "exit",  "exit_group", "rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "sendmsg", "recvmsg",
    "read",   "write", "close",      "mmap",         "munmap",       "mprotect",       "brk"};

} // namespace

const std::vector<Refusal>& refusals() {
    static const std::vector<Refusal> list = make();
    return list;
}

const std::vector<Refusal>& nested_refusals() {
    static const std::vector<Refusal> list = make_nested();
    return list;
}

std::string_view reason_not_to_allow(std::string_view call) {
    const auto found = std::ranges::find(kNotToAllow, call, &Reason::call);
    return found == std::end(kNotToAllow) ? std::string_view() : found->text;
}

std::string_view reason_not_to_deny(std::string_view call) {
    if (call == "connect") return "every connection is decided by [egress]: deny hosts there";
    if (std::ranges::find(kIndispensable, call) != std::end(kIndispensable))
        return "no program could be started without it";
    return {};
}

} // namespace belljar
