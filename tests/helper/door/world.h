// A world for the door's tests, without root: a network "outside" where every address answers, a session's network
// behind the builder's real firewall rule and sockets, and the door in between.
#pragma once

#include "fakes.h"
#include "helper/builder/door_sockets.h"
#include "helper/supervisor/door.h"

#include <string>
#include <vector>

namespace belljar::test {

// Puts the process, still single-threaded, into a user namespace and the network namespace that is the outside.
void enter_world();

class SessionNetwork {
public:
    explicit SessionNetwork(const std::vector<std::uint16_t>& host_services);
    UniqueFd socket(int family, int type) const; // made inside; blocking
    std::vector<Door::Socket> take(bool dns);    // the door's sockets, or those of the DNS answerer
private:
    UniqueFd namespace_;
    DoorSockets sockets_;
};

struct Rules {
    std::vector<std::string> allow, deny{}, private_names{};
    std::vector<std::uint16_t> host_services{};
};

class Bench {
public:
    explicit Bench(Rules rules);
    boost::asio::io_context loop;
    FakeRecorder recorder;
    FakeResolver resolver;
    SessionNetwork network;
    Judge judge;
    std::unique_ptr<Outside> outside;
    std::unique_ptr<Door> door;

    template <class Condition>
    bool run_until(const Condition& holds, std::chrono::milliseconds patience = std::chrono::seconds(5)) {
        return test::run_until(
            loop,
            [&] {
                resolver.serve();
                return holds();
            },
            patience);
    }
    // A client inside, connected to the door under this original destination; non-blocking from then on. Not expected
    // yet.
    UniqueFd connect(const Endpoint& original) const;
    // What the broker would say of it.
    ExpectedConnection expected(int client, const Endpoint& original);
    Endpoint stand_in(const std::string& name, std::uint16_t port) { return {*judge.stand_in(name), port}; }
    // A connected, expected client and the connection that arrived at `listener`. Its first bytes are not sent.
    struct Ends {
        UniqueFd client, server;
        std::uint64_t conn = 0;
    };
    Ends open(const Endpoint& original, int listener);
    UniqueFd accepted(int listener); // empty when nothing arrives

    void send(int fd, std::string_view bytes); // all of it, while the loop runs
    std::string receive(int fd, std::size_t bytes);
    std::string ending(int fd); // "closed", "reset" or "open", after what was still to be read
};

// Listens outside, on every address; non-blocking.
UniqueFd listen_outside(std::uint16_t port, int family = AF_INET);
Endpoint local_endpoint(int fd);

} // namespace belljar::test
