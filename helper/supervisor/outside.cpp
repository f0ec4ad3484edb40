#include "helper/supervisor/outside.h"

#include "helper/supervisor/dial.h"
#include "helper/supervisor/own_addresses.h"
#include "helper/supervisor/resolver_client.h"

#include <boost/asio/post.hpp>
#include <cerrno>

namespace belljar {
namespace {

class ResolvingOutside final : public Outside {
public:
    ResolvingOutside(boost::asio::io_context& loop, UniqueFd resolver, const EgressPolicy& policy)
        : loop_(loop), policy_(policy), resolver_(std::make_shared<ResolverClient>(loop, std::move(resolver))) {
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
        if (destination.name.empty()) // an address that a network rule allows
            return boost::asio::post(loop_,
                                     [done = std::move(done), resolution = judge({}, LookUp{{destination.ip}, 0, {}})] {
                                         done(resolution);
                                     });
        resolver_->look_up(destination.name,
                           [this, name = destination.name, done = std::move(done)](const LookUp& found) {
                               boost::asio::post(loop_, [done, resolution = judge(name, found)] { done(resolution); });
                           });
    }

    void dial(const std::vector<IpAddress>& addresses, std::uint16_t port, Dialed done) override {
        dial_any(loop_, addresses, port, std::move(done));
    }

private:
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
    OwnAddresses own_;
    std::shared_ptr<ResolverClient> resolver_; // calls nothing after stop()
};

} // namespace

std::unique_ptr<Outside> Outside::make(boost::asio::io_context& loop, UniqueFd resolver, const EgressPolicy& policy) {
    return std::make_unique<ResolvingOutside>(loop, std::move(resolver), policy);
}

} // namespace belljar
