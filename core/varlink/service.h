// A Varlink service without a transport: messages in, messages out. The helper daemon drives it from a blocking socket, the
// supervisor from its event loop. Answers org.varlink.service (GetInfo, GetInterfaceDescription) itself; checks each call's
// parameters against the interface's text before a handler sees them.
#pragma once

#include "core/varlink/message.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace belljar::varlink {

class Outbox; // the replies of one connection, in order

// What a handler answers with. Copyable; may be kept and used later (also from another thread only if the transport's `send`
// may be). After the connection is gone the calls do nothing. A oneway call's replies are dropped here. Every other call must
// be answered once by `reply` or `error`; what comes after that is dropped. Replies leave in the order of the calls (as the
// protocol wants): the answers to calls that were pipelined behind an unanswered one are kept until it is answered.
class Responder {
public:
    void reply(json parameters) const;
    void reply_continues(json parameters) const; // without `more` it answers ExpectedMore, finally
    void error(const std::string& name, json parameters = json::object()) const;
    bool wants_more() const;
    bool connected() const;
    struct State;
    explicit Responder(std::shared_ptr<State> state) : state_(std::move(state)) {}
private:
    std::shared_ptr<State> state_;
};

using Handler = std::function<void(const json& parameters, const Responder& responder)>;

class Service {
public:
    struct Description { std::string vendor, product, version, url; };
    explicit Service(Description description);
    // `text` is a whole .varlink interface; throws std::logic_error if it does not parse (it is our own).
    void add_interface(const std::string& text);
    // Every method of an added interface needs a handler before the first call; `handle` for an unknown method throws.
    void on(const std::string& method, Handler handler);
    // A method that is called with `upgrade`, and only so: after its reply the connection carries something else. The
    // handler arranges that with the transport; an error leaves the connection as it is.
    void on_upgrade(const std::string& method, Handler handler);

    // One connection's view: feed it messages, it calls `send` with whole encoded replies (each ends with NUL), perhaps before
    // `handle` returns. The Service must outlive it. At most kMaxUnanswered calls may wait, and kMaxHeldBytes of replies.
    static constexpr std::size_t kMaxUnanswered = 64;
    static constexpr std::size_t kMaxHeldBytes = 8u << 20;
    class Connection {
    public:
        ~Connection(); // later replies are dropped
        // An Error means that the peer broke the protocol and the connection must be closed.
        Status handle(std::string_view message);
        std::size_t unanswered() const; // calls, the one being handled included
    private:
        friend class Service;
        Connection(const Service& service, std::function<void(std::string)> send);
        const Service& service_;
        std::shared_ptr<Outbox> outbox_;
    };
    std::unique_ptr<Connection> connect(std::function<void(std::string)> send) const;

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace belljar::varlink
