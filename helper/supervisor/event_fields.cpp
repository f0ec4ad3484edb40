#include "helper/supervisor/event_fields.h"

namespace belljar {
namespace {

// As a policy names it.
std::string host_of(const Destination& destination) {
    if (destination.host_service) return "host";
    return destination.name.empty() ? destination.ip.text() : destination.name;
}

const char* protocol(Transport transport) {
    switch (transport) {
    case Transport::Tcp:
        return "tcp";
    case Transport::Udp:
        return "udp";
    }
    return "";
}

} // namespace

NewEvent denied_egress(const Destination& destination, const Verdict& verdict,
                       const std::optional<ProcessIdentity>& process) {
    NewEvent event{.kind = "egress", .fields = Json::object(), .time_us = now_us()};
    event.fields["verdict"] = "denied";
    event.fields["host"] = host_of(destination);
    event.fields["ip"] = destination.ip.text();
    event.fields["port"] = destination.port;
    event.fields["proto"] = protocol(destination.transport);
    put_process(event.fields, process);
    event.fields["rule"] = verdict.rule;
    event.fields["reason"] = verdict.reason;
    return event;
}

NewEvent unseen_egress(const std::optional<ProcessIdentity>& process, const std::string& reason) {
    NewEvent event{.kind = "egress", .fields = Json::object(), .time_us = now_us()};
    event.fields["verdict"] = "denied";
    event.fields["host"] = "";
    put_process(event.fields, process);
    event.fields["rule"] = "";
    event.fields["reason"] = reason;
    return event;
}

NewEvent allowed_egress(std::uint64_t conn, const Destination& destination, const Resolution& way, const Verdict& verdict,
                        const std::optional<ProcessIdentity>& process) {
    NewEvent event{.kind = "egress", .fields = Json::object(), .time_us = now_us()};
    event.fields["conn"] = conn;
    event.fields["verdict"] = "allowed";
    event.fields["host"] = host_of(destination);
    event.fields["ip"] = (way.addresses.empty() ? destination.ip : way.addresses.front()).text();
    event.fields["port"] = destination.port;
    event.fields["proto"] = protocol(destination.transport);
    if (!way.proxy.empty()) event.fields["proxy"] = way.proxy;
    put_process(event.fields, process);
    event.fields["rule"] = verdict.rule;
    event.fields["reason"] = verdict.reason;
    return event;
}

NewEvent closed_egress(std::uint64_t conn, std::int64_t since_us, const std::string& reason) {
    NewEvent event{.kind = "egress-closed", .fields = Json::object(), .time_us = now_us()};
    event.fields["conn"] = conn;
    event.fields["bytes_sent"] = 0;
    event.fields["bytes_received"] = 0;
    event.fields["duration_ms"] = (event.time_us - since_us) / 1000;
    event.fields["reason"] = reason;
    return event;
}

std::string denial_key(const Destination& destination, const Verdict& verdict,
                       const std::optional<ProcessIdentity>& process) {
    std::string key = std::string("egress\n") + protocol(destination.transport) + '\n' + host_of(destination) + '\n' +
                      destination.ip.text() + '\n' + std::to_string(destination.port) + '\n' + verdict.reason;
    if (!process) return key;
    key += '\n' + std::to_string(process->pid) + '\n' + process->exe;
    for (const std::string& argument : process->argv)
        key += '\0' + argument;
    return key;
}

} // namespace belljar
