// The rules of a Varlink service: which call reaches which handler, and in which order the replies leave.
#include "core/varlink/service.h"

#include "core/varlink/interface.h"
#include "core/varlink/org_varlink_service.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <stdexcept>

namespace belljar::varlink {

// Handlers may answer late and in any order; the peer matches replies to its calls by their order. One slot for each
// call. The mutex is recursive because `send` may find the peer gone and drop the connection from inside.
class Outbox {
public:
    explicit Outbox(std::function<void(std::string)> send) : send_(std::move(send)) {}

    // Nothing when too many calls wait, or the connection is broken.
    std::optional<std::uint64_t> open_slot() {
        const std::lock_guard lock(mutex_);
        if (!open_ || slots_.size() >= Service::kMaxUnanswered) return std::nullopt;
        slots_.emplace_back();
        return first_ + slots_.size() - 1;
    }

    void write(std::uint64_t slot, const Reply& reply) {
        const std::lock_guard lock(mutex_);
        if (!open_ || slot < first_) return;
        Slot& own = slots_[slot - first_];
        own.done = !reply.continues;
        own.held += encode(reply);
        held_ += own.held.size();
        while (!slots_.empty()) {
            std::string ready = std::exchange(slots_.front().held, {});
            held_ -= ready.size();
            const bool done = slots_.front().done;
            if (done) {
                slots_.pop_front();
                ++first_;
            }
            if (!ready.empty()) send_(std::move(ready));
            if (!done || !open_) break;
        }
        if (held_ > Service::kMaxHeldBytes) close();
    }

    std::size_t unanswered() const {
        const std::lock_guard lock(mutex_);
        return slots_.size();
    }

    void close() {
        const std::lock_guard lock(mutex_);
        open_ = false;
        slots_.clear();
        held_ = 0;
    }

    bool is_open() const {
        const std::lock_guard lock(mutex_);
        return open_;
    }

private:
    struct Slot {
        bool done = false;
        std::string held;
    };

    mutable std::recursive_mutex mutex_;
    std::function<void(std::string)> send_;
    bool open_ = true;
    std::deque<Slot> slots_;
    std::uint64_t first_ = 0; // the number of slots_.front()
    std::size_t held_ = 0;
};

struct Responder::State {
    std::weak_ptr<Outbox> outbox;
    std::uint64_t slot = 0;
    bool oneway = false, more = false;
    std::atomic<bool> finished = false;

    void write(const Reply& reply) {
        if (!reply.continues && finished.exchange(true)) return;
        if (reply.continues && finished) return;
        if (oneway) return;
        if (const auto out = outbox.lock()) out->write(slot, reply);
    }
};

void Responder::reply(json parameters) const {
    state_->write(Reply{std::move(parameters), false, {}});
}

void Responder::reply_continues(json parameters) const {
    if (!state_->more) return error("org.varlink.service.ExpectedMore");
    state_->write(Reply{std::move(parameters), true, {}});
}

void Responder::error(const std::string& name, json parameters) const {
    state_->write(Reply{std::move(parameters), false, name});
}

bool Responder::wants_more() const {
    return state_->more;
}

bool Responder::connected() const {
    const auto out = state_->outbox.lock();
    return out && out->is_open();
}

struct Service::Impl {
    Description description;
    std::map<std::string, Interface> interfaces;
    std::map<std::string, Handler> handlers;
    std::set<std::string> upgrades;

    void dispatch(const Call& call, const Responder& responder) const {
        const std::size_t dot = call.method.rfind('.');
        if (dot == std::string::npos)
            return responder.error("org.varlink.service.InvalidParameter", {{"parameter", "method"}});
        const auto interface = interfaces.find(call.method.substr(0, dot));
        if (interface == interfaces.end())
            return responder.error("org.varlink.service.InterfaceNotFound",
                                   {{"interface", call.method.substr(0, dot)}});
        const auto method = interface->second.methods.find(call.method.substr(dot + 1));
        if (method == interface->second.methods.end())
            return responder.error("org.varlink.service.MethodNotFound", {{"method", call.method}});
        const auto handler = handlers.find(call.method);
        if (handler == handlers.end())
            return responder.error("org.varlink.service.MethodNotImplemented", {{"method", call.method}});
        if (call.upgrade != upgrades.contains(call.method))
            return responder.error("org.varlink.service.InvalidParameter", {{"parameter", "upgrade"}});
        const std::string mismatch = interface->second.mismatch(method->second.input, call.parameters);
        if (!mismatch.empty())
            return responder.error("org.varlink.service.InvalidParameter", {{"parameter", mismatch}});
        handler->second(call.parameters, responder);
    }

    void describe(const Responder& responder) const {
        json names = json::array();
        for (const auto& [name, interface] : interfaces)
            names.push_back(name);
        responder.reply({{"vendor", description.vendor},
                         {"product", description.product},
                         {"version", description.version},
                         {"url", description.url},
                         {"interfaces", std::move(names)}});
    }

    void describe_interface(const std::string& name, const Responder& responder) const {
        const auto interface = interfaces.find(name);
        if (interface == interfaces.end())
            return responder.error("org.varlink.service.InterfaceNotFound", {{"interface", name}});
        responder.reply({{"description", interface->second.text}});
    }
};

Service::Service(Description description) : impl_(std::make_shared<Impl>()) {
    impl_->description = std::move(description);
    add_interface(kServiceInterface);
    // The handlers live in the Impl they look at.
    Impl* impl = impl_.get();
    on("org.varlink.service.GetInfo", [impl](const json&, const Responder& responder) { impl->describe(responder); });
    on("org.varlink.service.GetInterfaceDescription", [impl](const json& parameters, const Responder& responder) {
        impl->describe_interface(parameters.at("interface").get<std::string>(), responder);
    });
}

void Service::add_interface(const std::string& text) {
    auto interface = Interface::parse(text);
    if (!interface) throw std::logic_error(interface.error().message());
    const std::string name = interface->name;
    if (!impl_->interfaces.emplace(name, std::move(*interface)).second)
        throw std::logic_error(name + " is there already");
}

void Service::on(const std::string& method, Handler handler) {
    const std::size_t dot = method.rfind('.');
    const auto interface =
        dot == std::string::npos ? impl_->interfaces.end() : impl_->interfaces.find(method.substr(0, dot));
    if (interface == impl_->interfaces.end() || !interface->second.methods.contains(method.substr(dot + 1)))
        throw std::logic_error("no such method: " + method);
    impl_->handlers[method] = std::move(handler);
}

void Service::on_upgrade(const std::string& method, Handler handler) {
    on(method, std::move(handler));
    impl_->upgrades.insert(method);
}

std::unique_ptr<Service::Connection> Service::connect(std::function<void(std::string)> send) const {
    return std::unique_ptr<Connection>(new Connection(*this, std::move(send)));
}

Service::Connection::Connection(const Service& service, std::function<void(std::string)> send)
    : service_(service), outbox_(std::make_shared<Outbox>(std::move(send))) {}

Service::Connection::~Connection() {
    outbox_->close();
}

std::size_t Service::Connection::unanswered() const {
    return outbox_->unanswered();
}

Status Service::Connection::handle(std::string_view message) {
    auto call = parse_call(message);
    if (!call) return tl::unexpected(call.error());
    auto state = std::make_shared<Responder::State>();
    state->outbox = outbox_;
    state->oneway = call->oneway;
    state->more = call->more;
    if (!call->oneway) {
        const auto slot = outbox_->open_slot();
        if (!slot) return failure("Varlink call", "too many calls or replies are waiting on this connection");
        state->slot = *slot;
    }
    // A handler may end up dropping this connection: nothing of it is touched after this line.
    service_.impl_->dispatch(*call, Responder(std::move(state)));
    return {};
}

} // namespace belljar::varlink
