// A netlink message builder and one exchange with the kernel (netlink(7), rtnetlink(7)): just enough for a few constant
// requests, without a library (libnftables costs 0.9 ms, libmnl has no static archive in Debian).
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace belljar {

class NetlinkBatch {
public:
    // Starts a message; `header` is the fixed part behind nlmsghdr (ifinfomsg, rtmsg, nfgenmsg, …).
    template <class Header>
    void begin(std::uint16_t type, std::uint16_t flags, const Header& header) {
        begin_bytes(type, flags, std::as_bytes(std::span(&header, 1)));
    }
    void attribute(std::uint16_t type, std::span<const std::byte> value);
    void attribute(std::uint16_t type, std::string_view text_with_nul);
    void attribute_be32(std::uint16_t type, std::uint32_t value);
    template <class Value>
    void attribute_value(std::uint16_t type, const Value& value) {
        attribute(type, std::as_bytes(std::span(&value, 1)));
    }
    // A nested attribute is open until its scope ends.
    class Nest {
    public:
        Nest(NetlinkBatch& batch, std::uint16_t type);
        ~Nest();
        Nest(const Nest&) = delete;
        Nest& operator=(const Nest&) = delete;
    private:
        NetlinkBatch& batch_;
        std::size_t at_;
    };
    std::span<const std::byte> bytes() const { return bytes_; }
    std::uint32_t sequence() const { return sequence_; }

private:
    friend class Nest;
    void begin_bytes(std::uint16_t type, std::uint16_t flags, std::span<const std::byte> header);
    void append(std::span<const std::byte> value);
    void close_message();
    std::vector<std::byte> bytes_;
    std::size_t message_ = 0;
    std::uint32_t sequence_ = 0;
};

// A netlink socket of this protocol in the caller's network namespace.
Result<UniqueFd> open_netlink(int protocol);
// Sends all messages at once and reads until each of `acknowledgements` has come; the first error is the result.
Status exchange(int socket, const NetlinkBatch& batch, unsigned acknowledgements, std::string_view what);

} // namespace belljar
