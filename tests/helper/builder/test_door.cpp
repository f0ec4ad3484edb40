// The firewall rule and the sockets of the door, against libnftnl's reading of the message and against the real kernel.

#include "helper/builder/door_rules.h"
#include "helper/builder/door_sockets.h"
#include "helper/builder/network.h"
#include "tests/helper/builder/in_namespaces.h"

#include <QtTest>
#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/rule.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/socket.h>

using namespace belljar;

namespace {

constexpr std::uint64_t kNetwork = CLONE_NEWUSER | CLONE_NEWNET;

int of_role(const DoorSockets& door, link::Role role) {
    for (const RoleSocket& socket : door.sockets)
        if (socket.role == role) return socket.fd.get();
    return -1;
}

sockaddr_in v4(const char* address, std::uint16_t port) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    ::inet_pton(AF_INET, address, &in.sin_addr);
    return in;
}

sockaddr_in6 v6(const char* address, std::uint16_t port) {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    ::inet_pton(AF_INET6, address, &in.sin6_addr);
    return in;
}

std::string text_of(const sockaddr_storage& address) {
    char text[INET6_ADDRSTRLEN] = {};
    if (address.ss_family == AF_INET) {
        const auto& in = reinterpret_cast<const sockaddr_in&>(address);
        ::inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
        return std::string(text) + ":" + std::to_string(ntohs(in.sin_port));
    }
    const auto& in = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &in.sin6_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(in.sin6_port));
}

// Connects to an address that nobody has and says what the door saw as the original destination.
template <class Address>
std::string arrive(const DoorSockets& door, link::Role role, const Address& address) {
    UniqueFd client(::socket(reinterpret_cast<const sockaddr*>(&address)->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return std::string("connect: ") + std::strerror(errno);
    pollfd ready{of_role(door, role), POLLIN, 0};
    if (::poll(&ready, 1, 1000) != 1) return "nothing arrived at the door";
    UniqueFd accepted(::accept(of_role(door, role), nullptr, nullptr));
    sockaddr_storage original{};
    socklen_t length = sizeof original;
    ::getsockname(accepted.get(), reinterpret_cast<sockaddr*>(&original), &length);
    return text_of(original);
}

Result<DoorSockets> open_door() {
    if (Status up = bring_up_network(); !up) return tl::unexpected(up.error());
    auto door = open_door_sockets({11434}, link::kDoorMark);
    if (!door) return door;
    if (Status ruled = install_door_rules(door->port, link::kDoorMark); !ruled) return tl::unexpected(ruled.error());
    return door;
}

} // namespace

class TestDoor : public QObject {
    Q_OBJECT
private slots:
    void the_message_means_to_libnftnl_what_the_comment_says() {
        const NetlinkBatch batch = door_rules(4242, 0xbe11);
        std::vector<std::byte> bytes(batch.bytes().begin(), batch.bytes().end());
        QStringList rules;
        auto left = static_cast<int>(bytes.size());
        for (auto* head = reinterpret_cast<nlmsghdr*>(bytes.data()); mnl_nlmsg_ok(head, left); head = mnl_nlmsg_next(head, &left)) {
            if (head->nlmsg_type != (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWRULE)) continue;
            nftnl_rule* rule = nftnl_rule_alloc();
            QCOMPARE(nftnl_rule_nlmsg_parse(head, rule), 0);
            char text[4096];
            nftnl_rule_snprintf(text, sizeof text, rule, NFTNL_OUTPUT_DEFAULT, 0);
            rules << QString::fromUtf8(text).simplified();
            nftnl_rule_free(rule);
        }
        QCOMPARE(left, 0);
        QCOMPARE(rules.size(), 7);
        QVERIFY2(rules[0].contains("meta load mark => reg 1") && rules[0].contains("0x0000be11") && rules[0].contains("accept"), qPrintable(rules[0]));
        QVERIFY2(rules[1].contains("payload load 4b @ network header + 16") && rules[1].contains("0x0000007f") && rules[1].contains("accept"), qPrintable(rules[1]));
        QVERIFY2(rules[2].contains("payload load 16b @ network header + 24") && rules[2].contains("0x01000000") && rules[2].contains("accept"), qPrintable(rules[2]));
        for (const int dns : {3, 4}) QVERIFY2(rules[dns].contains("payload load 2b @ transport header + 2") && rules[dns].contains("0x00003500") && rules[dns].contains("accept"), qPrintable(rules[dns]));
        for (const int proxy : {5, 6}) QVERIFY2(rules[proxy].contains("tproxy port reg 1"), qPrintable(rules[proxy]));
        QVERIFY2(rules[5].contains("0x00000006") && rules[6].contains("0x00000011"), qPrintable(rules.join('\n')));
    }

    void every_tcp_address_and_port_arrives_with_its_original_destination() {
        QCOMPARE(in_namespaces(kNetwork, [] {
            const auto door = open_door();
            if (!door) return door.error().message();
            using enum link::Role;
            for (const auto& [address, port] : {std::pair{"203.0.113.9", 443}, {"8.8.8.8", 22}, {"10.1.2.3", 1}, {"169.254.169.254", 80}, {"198.18.5.5", 65535}})
                if (const std::string seen = arrive(*door, DoorTcp4, v4(address, static_cast<std::uint16_t>(port))); seen != std::string(address) + ":" + std::to_string(port))
                    return "IPv4: " + seen;
            if (const std::string seen = arrive(*door, DoorTcp6, v6("2001:db8::9", 443)); seen != "2001:db8::9:443") return "IPv6: " + seen;
            if (const std::string seen = arrive(*door, DoorTcp4, v6("::ffff:203.0.113.7", 443)); seen != "203.0.113.7:443") return "v4-mapped: " + seen;
            return std::string();
        }), QString());
    }

    void the_sessions_own_loopback_does_not_pass_the_door() {
        QCOMPARE(in_namespaces(kNetwork, [] {
            const auto door = open_door();
            if (!door) return door.error().message();
            UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
            const sockaddr_in own = v4("127.0.0.1", 8080);
            if (::bind(server.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0 || ::listen(server.get(), 4) != 0) return std::string("own server");
            UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
            if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) return std::string("own client");
            pollfd ready{server.get(), POLLIN, 0};
            return ::poll(&ready, 1, 1000) == 1 ? std::string() : std::string("the own server saw nothing");
        }), QString());
    }

    void a_datagram_arrives_with_its_original_destination() {
        QCOMPARE(in_namespaces(kNetwork, [] {
            const auto door = open_door();
            if (!door) return door.error().message();
            UniqueFd client(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
            const sockaddr_in to = v4("203.0.113.9", 443);
            ::sendto(client.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
            const int udp = of_role(*door, link::Role::DoorUdp4);
            pollfd ready{udp, POLLIN, 0};
            if (::poll(&ready, 1, 1000) != 1) return std::string("nothing arrived");
            char byte = 0;
            char control[256];
            iovec iov{&byte, 1};
            msghdr message{};
            message.msg_iov = &iov;
            message.msg_iovlen = 1;
            message.msg_control = control;
            message.msg_controllen = sizeof control;
            if (::recvmsg(udp, &message, 0) != 1) return std::string("recvmsg");
            for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head))
                if (head->cmsg_level == IPPROTO_IP && head->cmsg_type == IP_ORIGDSTADDR) {
                    sockaddr_storage original{};
                    std::memcpy(&original, CMSG_DATA(head), sizeof(sockaddr_in));
                    const std::string seen = text_of(original);
                    return seen == "203.0.113.9:443" ? std::string() : seen;
                }
            return std::string("no original destination");
        }), QString());
    }

    void a_name_query_to_any_resolver_reaches_our_socket_and_its_answer_comes_back_from_there() {
        QCOMPARE(in_namespaces(kNetwork, [] {
            const auto door = open_door();
            if (!door) return door.error().message();
            UniqueFd client(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
            const sockaddr_in resolver = v4("9.9.9.9", 53);
            if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&resolver), sizeof resolver) != 0) return std::string("connect");
            ::send(client.get(), "q", 1, 0);
            const int dns = of_role(*door, link::Role::DnsUdp4);
            pollfd ready{dns, POLLIN, 0};
            if (::poll(&ready, 1, 1000) != 1) return std::string("no query");
            char byte = 0;
            alignas(cmsghdr) char control[256];
            sockaddr_in source{};
            iovec iov{&byte, 1};
            msghdr message{&source, sizeof source, &iov, 1, control, sizeof control, 0};
            if (::recvmsg(dns, &message, 0) != 1) return std::string("recvmsg");
            // The control message that says which address was asked is the one that says where to answer from.
            if (::sendmsg(dns, &message, 0) != 1) return std::string("sendmsg: ") + std::strerror(errno);
            pollfd answer{client.get(), POLLIN, 0};
            return ::poll(&answer, 1, 1000) == 1 && ::recv(client.get(), &byte, 1, 0) == 1 ? std::string() : std::string("no answer");
        }), QString());
    }

    void a_host_service_listens_on_the_sessions_own_loopback() {
        QCOMPARE(in_namespaces(kNetwork, [] {
            const auto door = open_door();
            if (!door) return door.error().message();
            const std::string seen = arrive(*door, link::Role::HostService4, v4("127.0.0.1", 11434));
            return seen == "127.0.0.1:11434" ? std::string() : seen;
        }), QString());
    }

    void without_the_rule_nothing_arrives() { // the control of the tests above
        QCOMPARE(in_namespaces(kNetwork, [] {
            if (Status up = bring_up_network(); !up) return up.error().message();
            const auto door = open_door_sockets({}, link::kDoorMark);
            if (!door) return door.error().message();
            return arrive(*door, link::Role::DoorTcp4, v4("203.0.113.9", 443));
        }), QString("connect: Connection refused"));
    }
};

QTEST_GUILESS_MAIN(TestDoor)
#include "test_door.moc"
