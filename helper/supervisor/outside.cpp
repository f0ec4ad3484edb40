#include "helper/supervisor/outside.h"

#include "core/egress/no_proxy.h"
#include "helper/supervisor/dial.h"
#include "helper/supervisor/own_addresses.h"
#include "helper/supervisor/proxy_dial.h"
#include "helper/supervisor/resolver_client.h"

#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>

namespace belljar {
namespace {

class ResolvingOutside final : public Outside {
public:
    ResolvingOutside(boost::asio::io_context& loop, UniqueFd resolver, const EgressPolicy& policy,
                     const std::optional<ProxySpec>& proxy)
        : loop_(loop), policy_(policy), proxy_(proxy), direct_(proxy ? proxy->direct : std::vector<std::string>()),
          resolver_(std::make_shared<ResolverClient>(loop, std::move(resolver))) {
        resolver_->start();
    }
    ~ResolvingOutside() override { resolver_->stop(); }

    void resolve(const Destination& destination, std::function<void(Resolution)> done) override {
        if (destination.host_service) {
            IpAddress v6_loopback;
            v6_loopback.v6 = true;
            v6_loopback.bytes[15] = 1;
            return boost::asio::post(loop_, [done = std::move(done), v6_loopback] {
                done(Resolution{{IpAddress::v4(0x7F000001), v6_loopback}, false, 0, {}});
            });
        }
        if (destination.name.empty()) { // an address that a network rule allows
            Resolution resolution = judge({}, LookUp{{destination.ip}, 0, {}});
            if (!resolution.refused && by_proxy(destination)) return resolve_proxy(destination, std::move(done));
            return boost::asio::post(loop_, [done = std::move(done), resolution] { done(resolution); });
        }
        if (by_proxy(destination)) return resolve_proxy(destination, std::move(done));
        resolver_->look_up(destination.name,
                           [this, name = destination.name, done = std::move(done)](const LookUp& found) {
                               boost::asio::post(loop_, [done, resolution = judge(name, found)] { done(resolution); });
                           });
    }

    void dial(const Resolution& way, std::uint16_t port, std::function<void(Reached)> done) override {
        if (!way.proxy.empty() && proxy_)
            return dial_by_proxy(loop_, way.addresses, *proxy_, way.authority, std::move(done));
        dial_any(loop_, way.addresses, port,
                 [done = std::move(done)](int errno_value, UniqueFd socket, IpAddress reached) {
                     std::string reason;
                     if (errno_value != 0) reason = std::string("connect: ") + ::strerrordesc_np(errno_value);
                     done(Reached{errno_value, std::move(socket), reached, std::move(reason)});
                 });
    }

private:
    bool by_proxy(const Destination& destination) const {
        return proxy_ && !direct_.matches(destination.name, destination.ip, destination.port);
    }

    // The host's own setting: its address is not judged (it is in a private network more often than not).
    void resolve_proxy(const Destination& destination, std::function<void(Resolution)> done) {
        Resolution way;
        way.proxy = proxy_->place();
        way.authority = destination.name.empty() ? Endpoint{destination.ip, destination.port}.text()
                                                 : destination.name + ":" + std::to_string(destination.port);
        const auto finish = [this, way, done = std::move(done)](const LookUp& found) {
            Resolution resolution = way;
            resolution.addresses = found.addresses;
            if (found.addresses.empty()) {
                resolution.errno_value = found.errno_value;
                resolution.reason = "the proxy: " + found.reason;
            }
            boost::asio::post(loop_, [done, resolution] { done(resolution); });
        };
        if (const auto ip = IpAddress::parse(proxy_->host)) return finish(LookUp{{*ip}, 0, {}});
        resolver_->look_up(proxy_->host, finish);
    }

    // Each address for itself: a refused one is left out, and only if none is left is the name refused.
    Resolution judge(const std::string& name, const LookUp& found) {
        if (found.addresses.empty()) return Resolution{{}, false, found.errno_value, found.reason};
        Resolution out;
        for (const IpAddress& ip : found.addresses) {
            const Verdict verdict = decide_resolved(policy_, name, ip, own_.current());
            if (verdict.allowed)
                out.addresses.push_back(ip);
            else if (out.reason.empty())
                out.reason = verdict.reason;
        }
        if (out.addresses.empty()) {
            out.refused = true;
            out.errno_value = EACCES;
        } else {
            out.reason.clear();
        }
        return out;
    }

    boost::asio::io_context& loop_;
    EgressPolicy policy_;
    std::optional<ProxySpec> proxy_;
    NoProxy direct_;
    OwnAddresses own_;
    std::shared_ptr<ResolverClient> resolver_; // calls nothing after stop()
};

} // namespace

std::unique_ptr<Outside> Outside::make(boost::asio::io_context& loop, UniqueFd resolver, const EgressPolicy& policy,
                                       const std::optional<ProxySpec>& proxy) {
    return std::make_unique<ResolvingOutside>(loop, std::move(resolver), policy, proxy);
}

} // namespace belljar
