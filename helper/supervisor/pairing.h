// Brings together what the door accepts and what the broker allowed: by the connection's source and original
// destination, in either order. Neither waits for ever. Loop thread only.
#pragma once

#include "helper/supervisor/door.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>

namespace belljar {

class Pairing {
public:
    struct Arrival {
        UniqueFd inside;
        Endpoint source, original;
    };
    struct Handlers {
        std::function<void(ExpectedConnection, UniqueFd inside)> paired;
        std::function<void(Arrival)> unpaired;          // no verdict came for it
        std::function<void(ExpectedConnection)> missed; // allowed, but it never came
    };
    struct Patience {
        std::chrono::milliseconds arrival{2000}, expected{10000};
    };
    Pairing(boost::asio::io_context& loop, Handlers handlers, Patience patience);
    Pairing(boost::asio::io_context& loop, Handlers handlers) : Pairing(loop, std::move(handlers), Patience()) {}

    void expect(ExpectedConnection connection);
    void arrive(Arrival arrival);
    // Every arrival that waits is dropped, every expected connection missed; nothing is kept afterwards.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    struct Key {
        Endpoint source, original;
        auto operator<=>(const Key&) const = default;
    };
    template <class T>
    struct Waiting {
        T what;
        Clock::time_point until;
    };
    static Key key(const Endpoint& source, const Endpoint& original);
    void arm();
    void sweep();

    Handlers handlers_;
    Patience patience_;
    boost::asio::steady_timer timer_;
    bool armed_ = false, stopped_ = false;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // for what the loop has queued
    std::multimap<Key, Waiting<Arrival>> arrivals_;
    std::multimap<Key, Waiting<ExpectedConnection>> expected_;
};

} // namespace belljar
