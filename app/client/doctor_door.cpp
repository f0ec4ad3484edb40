// Whether the door can be made: nftables with a tproxy rule, in a network namespace of one's own. One batch of
// nfnetlink messages (linux/netfilter/nf_tables.h): a table, a chain at prerouting, one rule that hands everything to a
// port.
#include "app/client/doctor.h"

#include "core/system/unique_fd.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace belljar {
namespace {

using State = Check::State;
constexpr const char* kSocketStage = "open a netfilter socket";
constexpr const char* kRuleStage = "load a tproxy rule";

// Netlink messages in a string; lengths are filled in when a message or an attribute ends.
class Messages {
public:
    template <class Body>
    void message(std::uint16_t type, std::uint16_t flags, std::uint8_t family, std::uint16_t resource, Body body) {
        const std::size_t start = bytes_.size();
        nlmsghdr head{};
        head.nlmsg_type = type;
        head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
        head.nlmsg_seq = ++sequence_;
        append(&head, sizeof head);
        nfgenmsg general{};
        general.nfgen_family = family;
        general.version = NFNETLINK_V0;
        general.res_id = htons(resource);
        append(&general, sizeof general);
        body();
        const auto length = static_cast<std::uint32_t>(bytes_.size() - start);
        std::memcpy(bytes_.data() + start, &length, sizeof length);
    }
    template <class Body>
    void nest(std::uint16_t type, Body body) {
        const std::size_t start = bytes_.size();
        const nlattr head{0, static_cast<std::uint16_t>(type | NLA_F_NESTED)};
        append(&head, sizeof head);
        body();
        close(start);
    }
    void text(std::uint16_t type, std::string_view value) {
        attribute(type, std::string(value).c_str(), value.size() + 1);
    }
    void number(std::uint16_t type, std::uint32_t value) {
        const std::uint32_t big = htonl(value);
        attribute(type, &big, sizeof big);
    }
    void attribute(std::uint16_t type, const void* value, std::size_t size) {
        const std::size_t start = bytes_.size();
        const nlattr head{0, type};
        append(&head, sizeof head);
        append(value, size);
        close(start);
    }
    const std::string& bytes() const { return bytes_; }

private:
    void append(const void* from, std::size_t size) { bytes_.append(static_cast<const char*>(from), size); }
    void close(std::size_t start) {
        const auto length = static_cast<std::uint16_t>(bytes_.size() - start);
        std::memcpy(bytes_.data() + start, &length, sizeof length);
        bytes_.resize((bytes_.size() + NLA_ALIGNTO - 1) / NLA_ALIGNTO * NLA_ALIGNTO, '\0');
    }
    std::string bytes_;
    std::uint32_t sequence_ = 0;
};

constexpr std::uint16_t nft(std::uint16_t type) {
    return static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | type);
}

std::string tproxy_batch() {
    static constexpr const char* kTable = "belljar";
    static constexpr const char* kChain = "door";
    Messages out;
    const auto expression = [&out](const char* name, auto body) {
        out.nest(NFTA_LIST_ELEM, [&] {
            out.text(NFTA_EXPR_NAME, name);
            out.nest(NFTA_EXPR_DATA, body);
        });
    };
    out.message(NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES, [] {});
    out.message(nft(NFT_MSG_NEWTABLE), NLM_F_CREATE, NFPROTO_INET, 0, [&] { out.text(NFTA_TABLE_NAME, kTable); });
    out.message(nft(NFT_MSG_NEWCHAIN), NLM_F_CREATE, NFPROTO_INET, 0, [&] {
        out.text(NFTA_CHAIN_TABLE, kTable);
        out.text(NFTA_CHAIN_NAME, kChain);
        out.nest(NFTA_CHAIN_HOOK, [&] {
            out.number(NFTA_HOOK_HOOKNUM, NF_INET_PRE_ROUTING);
            out.number(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(-150));
        });
        out.text(NFTA_CHAIN_TYPE, "filter");
    });
    out.message(nft(NFT_MSG_NEWRULE), NLM_F_CREATE | NLM_F_ACK, NFPROTO_INET, 0, [&] {
        out.text(NFTA_RULE_TABLE, kTable);
        out.text(NFTA_RULE_CHAIN, kChain);
        out.nest(NFTA_RULE_EXPRESSIONS, [&] {
            expression("immediate", [&] {
                const std::uint16_t port = htons(1);
                out.number(NFTA_IMMEDIATE_DREG, NFT_REG_1);
                out.nest(NFTA_IMMEDIATE_DATA, [&] { out.attribute(NFTA_DATA_VALUE, &port, sizeof port); });
            });
            expression("tproxy", [&] {
                out.number(NFTA_TPROXY_FAMILY, NFPROTO_IPV4);
                out.number(NFTA_TPROXY_REG_PORT, NFT_REG_1);
            });
        });
    });
    out.message(NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES, [] {});
    return out.bytes();
}

// 0, or -1 with errno: the kernel's answer to the whole batch.
int load(int socket, const std::string& batch) {
    const timeval patience{5, 0}; // modules may have to be loaded
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::send(socket, batch.data(), batch.size(), 0) < 0) return -1;
    alignas(nlmsghdr) char answer[4096];
    const ssize_t n = ::recv(socket, answer, sizeof answer, 0);
    if (n < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(nlmsgerr)))) return -1;
    nlmsgerr error{};
    std::memcpy(&error, answer + NLMSG_HDRLEN, sizeof error);
    errno = -error.error;
    return error.error == 0 ? 0 : -1;
}

} // namespace

Check door_check(const std::string& stage, int errno_value) {
    Check check{State::Ok, "nftables with tproxy, tried", "a rule was loaded in a network namespace", {}};
    if (stage.empty()) return check;
    const std::string tried = fmt::format("{}: {}", stage, std::strerror(errno_value));
    check.state = State::Missing;
    if (stage != kRuleStage && stage != kSocketStage) {
        check.found = fmt::format("a network namespace cannot be made ({})", tried);
        check.advice = "namespaces come first: see that check";
        return check;
    }
    const bool no_netfilter = stage == kSocketStage || errno_value == EINVAL || errno_value == EOPNOTSUPP;
    check.found = fmt::format("this kernel has no {} ({})", no_netfilter ? "nftables" : "tproxy for nftables", tried);
    check.advice = "sudo modprobe -a nf_tables nft_tproxy, and keep both in /etc/modules-load.d";
    return check;
}

std::vector<Check> check_door() {
    const TrialResult result = try_in_child([](Trial& trial) {
        in_namespaces(trial, "make a network namespace", CLONE_NEWNET, [](Trial& inside) {
            const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
            if (!inside.stage(kSocketStage, socket.get())) return;
            inside.stage(kRuleStage, load(socket.get(), tproxy_batch()));
        });
    });
    return {door_check(result.failed_stage, result.errno_value)};
}

} // namespace belljar
