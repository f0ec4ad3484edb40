#include "helper/builder/door_rules.h"

#include <arpa/inet.h>
#include <array>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>

namespace belljar {
namespace {

constexpr const char* kTable = "belljar";
constexpr const char* kChain = "door";
constexpr int kPriorityMangle = -150; // NF_IP_PRI_MANGLE

constexpr std::uint16_t message(std::uint16_t type) { return static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | type); }

nfgenmsg family(std::uint8_t value, std::uint16_t resource = 0) {
    nfgenmsg head{};
    head.nfgen_family = value;
    head.version = NFNETLINK_V0;
    head.res_id = htons(resource);
    return head;
}

// Writes one rule; each verb appends an expression (nft's own byte-code, linux/netfilter/nf_tables.h).
class Rule {
public:
    Rule(NetlinkBatch& batch, std::uint16_t flags) : batch_(batch) {
        batch_.begin(message(NFT_MSG_NEWRULE), static_cast<std::uint16_t>(NLM_F_CREATE | NLM_F_APPEND | flags), family(NFPROTO_INET));
        batch_.attribute(NFTA_RULE_TABLE, kTable);
        batch_.attribute(NFTA_RULE_CHAIN, kChain);
    }

    // All expressions stand in one list, so they are written inside one call.
    template <class Body>
    void expressions(Body body) {
        NetlinkBatch::Nest list(batch_, NFTA_RULE_EXPRESSIONS);
        body(*this);
    }

    void meta_equals(std::uint32_t key, std::span<const std::byte> value) {
        expression("meta", [&] {
            batch_.attribute_be32(NFTA_META_KEY, key);
            batch_.attribute_be32(NFTA_META_DREG, NFT_REG_1);
        });
        compare(value);
    }
    void meta_equals_byte(std::uint32_t key, std::uint8_t value) { meta_equals(key, std::as_bytes(std::span(&value, 1))); }

    void payload_equals(std::uint32_t base, std::uint32_t offset, std::span<const std::byte> mask, std::span<const std::byte> value) {
        const auto length = static_cast<std::uint32_t>(value.size());
        expression("payload", [&] {
            batch_.attribute_be32(NFTA_PAYLOAD_DREG, NFT_REG_1);
            batch_.attribute_be32(NFTA_PAYLOAD_BASE, base);
            batch_.attribute_be32(NFTA_PAYLOAD_OFFSET, offset);
            batch_.attribute_be32(NFTA_PAYLOAD_LEN, length);
        });
        if (!mask.empty())
            expression("bitwise", [&] {
                const std::array<std::byte, 16> zero{};
                batch_.attribute_be32(NFTA_BITWISE_SREG, NFT_REG_1);
                batch_.attribute_be32(NFTA_BITWISE_DREG, NFT_REG_1);
                batch_.attribute_be32(NFTA_BITWISE_LEN, length);
                data(NFTA_BITWISE_MASK, mask);
                data(NFTA_BITWISE_XOR, std::span(zero).first(length));
            });
        compare(value);
    }

    void accept() {
        expression("immediate", [&] {
            batch_.attribute_be32(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
            NetlinkBatch::Nest value(batch_, NFTA_IMMEDIATE_DATA);
            NetlinkBatch::Nest verdict(batch_, NFTA_DATA_VERDICT);
            batch_.attribute_be32(NFTA_VERDICT_CODE, NF_ACCEPT);
        });
    }

    void tproxy(std::uint16_t port) {
        const std::uint16_t network = htons(port);
        expression("immediate", [&] {
            batch_.attribute_be32(NFTA_IMMEDIATE_DREG, NFT_REG_1);
            data(NFTA_IMMEDIATE_DATA, std::as_bytes(std::span(&network, 1)));
        });
        expression("tproxy", [&] {
            batch_.attribute_be32(NFTA_TPROXY_FAMILY, NFPROTO_UNSPEC);
            batch_.attribute_be32(NFTA_TPROXY_REG_PORT, NFT_REG_1);
        });
    }

private:
    template <class Body>
    void expression(const char* name, Body body) {
        NetlinkBatch::Nest element(batch_, NFTA_LIST_ELEM);
        batch_.attribute(NFTA_EXPR_NAME, name);
        NetlinkBatch::Nest parameters(batch_, NFTA_EXPR_DATA);
        body();
    }
    void data(std::uint16_t type, std::span<const std::byte> value) {
        NetlinkBatch::Nest nest(batch_, type);
        batch_.attribute(NFTA_DATA_VALUE, value);
    }
    void compare(std::span<const std::byte> value) {
        expression("cmp", [&] {
            batch_.attribute_be32(NFTA_CMP_SREG, NFT_REG_1);
            batch_.attribute_be32(NFTA_CMP_OP, NFT_CMP_EQ);
            data(NFTA_CMP_DATA, value);
        });
    }
    NetlinkBatch& batch_;
};

template <std::size_t N>
std::span<const std::byte> bytes_of(const std::array<std::uint8_t, N>& value) {
    return std::as_bytes(std::span(value));
}

} // namespace

NetlinkBatch door_rules(std::uint16_t port, std::uint32_t mark) {
    NetlinkBatch batch;
    batch.begin(NFNL_MSG_BATCH_BEGIN, 0, family(AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
    batch.begin(message(NFT_MSG_NEWTABLE), NLM_F_CREATE | NLM_F_EXCL, family(NFPROTO_INET));
    batch.attribute(NFTA_TABLE_NAME, kTable);
    batch.begin(message(NFT_MSG_NEWCHAIN), NLM_F_CREATE | NLM_F_EXCL, family(NFPROTO_INET));
    batch.attribute(NFTA_CHAIN_TABLE, kTable);
    batch.attribute(NFTA_CHAIN_NAME, kChain);
    {
        NetlinkBatch::Nest hook(batch, NFTA_CHAIN_HOOK);
        batch.attribute_be32(NFTA_HOOK_HOOKNUM, NF_INET_PRE_ROUTING);
        batch.attribute_be32(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(kPriorityMangle));
    }
    batch.attribute_be32(NFTA_CHAIN_POLICY, NF_ACCEPT);
    batch.attribute(NFTA_CHAIN_TYPE, "filter");

    Rule(batch, 0).expressions([&](Rule& rule) { // the mark is a number in host order
        rule.meta_equals(NFT_META_MARK, std::as_bytes(std::span(&mark, 1)));
        rule.accept();
    });
    Rule(batch, 0).expressions([](Rule& rule) { // ip daddr 127.0.0.0/8
        rule.meta_equals_byte(NFT_META_NFPROTO, NFPROTO_IPV4);
        rule.payload_equals(NFT_PAYLOAD_NETWORK_HEADER, 16, bytes_of(std::array<std::uint8_t, 4>{255, 0, 0, 0}),
                            bytes_of(std::array<std::uint8_t, 4>{127, 0, 0, 0}));
        rule.accept();
    });
    Rule(batch, 0).expressions([](Rule& rule) { // ip6 daddr ::1
        std::array<std::uint8_t, 16> loopback{};
        loopback[15] = 1;
        rule.meta_equals_byte(NFT_META_NFPROTO, NFPROTO_IPV6);
        rule.payload_equals(NFT_PAYLOAD_NETWORK_HEADER, 24, {}, bytes_of(loopback));
        rule.accept();
    });
    for (const std::uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP})
        Rule(batch, 0).expressions([protocol](Rule& rule) { // dport 53
            rule.meta_equals_byte(NFT_META_L4PROTO, protocol);
            rule.payload_equals(NFT_PAYLOAD_TRANSPORT_HEADER, 2, {}, bytes_of(std::array<std::uint8_t, 2>{0, 53}));
            rule.accept();
        });
    for (const std::uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP})
        Rule(batch, protocol == IPPROTO_UDP ? NLM_F_ACK : 0).expressions([protocol, port](Rule& rule) {
            rule.meta_equals_byte(NFT_META_L4PROTO, protocol);
            rule.tproxy(port);
        });
    batch.begin(NFNL_MSG_BATCH_END, 0, family(AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
    return batch;
}

Status install_door_rules(std::uint16_t port, std::uint32_t mark) {
    const auto socket = open_netlink(NETLINK_NETFILTER);
    Error error;
    if (socket) {
        Status done = exchange(socket->get(), door_rules(port, mark), 1, "install the door's rule");
        if (done) return done;
        error = done.error();
    } else {
        error = socket.error();
    }
    error.next = "the kernel needs nf_tables and nft_tproxy; `belljar doctor` checks both";
    return tl::unexpected(error);
}

} // namespace belljar
