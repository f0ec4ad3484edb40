// One event as a sentence. Every text of the event passes visible(): it comes from inside the jar and goes to a
// terminal.
#include "core/record/export.h"
#include "core/record/lifecycle.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <string.h>

namespace belljar {
namespace {

std::string shown(const Json& value) {
    return visible(value.is_string() ? value.get_ref<const std::string&>() : value.dump());
}

// A member as text; empty when it is absent or null.
std::string text(const Json& event, const char* member) {
    const auto found = event.find(member);
    return found == event.end() || found->is_null() ? std::string() : shown(*found);
}

std::uint64_t number(const Json& event, const char* member) {
    const auto found = event.find(member);
    return found != event.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::vector<std::string> texts(const Json& event, const char* member) {
    std::vector<std::string> out;
    if (const auto found = event.find(member); found != event.end() && found->is_array())
        for (const Json& item : *found)
            out.push_back(shown(item));
    return out;
}

std::string with(std::string_view before, std::string value, std::string_view after = {}) {
    return value.empty() ? value : fmt::format("{}{}{}", before, value, after);
}

std::string base_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// "by python3 fetch.py (pid 14)": of an interpreter the script is what matters.
std::string process(const Json& event) {
    const std::string exe = base_name(text(event, "exe"));
    if (exe.empty()) return with("  by pid ", text(event, "pid"));
    std::string who = exe;
    for (const char* interpreter : {"python", "node", "bash", "sh", "dash", "perl", "ruby", "java", "deno", "bun"})
        if (exe.starts_with(interpreter)) {
            const auto argv = texts(event, "argv");
            if (argv.size() > 1 && !argv[1].starts_with("-")) who += " " + base_name(argv[1]);
            break;
        }
    return fmt::format("  by {}{}", who, with(" (pid ", text(event, "pid"), ")"));
}

std::string times(const Json& event) {
    const std::uint64_t count = number(event, "count");
    const std::string folded = event.contains("folded") ? "  (a flood: which ones was not kept)" : "";
    return count > 1 ? fmt::format("  ×{}{}", count, folded) : folded;
}

std::string bytes(std::uint64_t count) {
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(count);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit)
        value /= 1024;
    return unit == 0 ? fmt::format("{} B", count) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string place(const Json& event) {
    std::string where = text(event, "host");
    if (where.empty()) where = text(event, "ip");
    if (where.empty()) return "a connection";
    if (where.find(':') != std::string::npos) where = "[" + where + "]";
    where += with(":", text(event, "port"));
    if (const std::string protocol = text(event, "proto"); !protocol.empty() && protocol != "tcp")
        where += "/" + protocol;
    return where;
}

std::string because(const Json& event) {
    const std::string reason = text(event, "reason");
    if (!reason.empty() && reason != text(event, "verdict")) return ": " + reason;
    return with(": rule ", text(event, "rule"));
}

std::string errno_name(const Json& event) {
    const auto found = event.find("errno");
    if (found == event.end() || !found->is_number_integer()) return text(event, "errno");
    const char* name = ::strerrorname_np(found->get<int>());
    return name != nullptr ? name : found->dump();
}

std::string list(const std::vector<std::string>& items) {
    std::string out;
    for (const std::string& item : items)
        out += (out.empty() ? "" : ", ") + item;
    return out;
}

std::string missing_layers(const Json& event) {
    std::vector<std::string> names;
    if (const auto layers = event.find("layers"); layers != event.end() && layers->is_array())
        for (const Json& layer : *layers)
            if (layer.is_object() && layer.contains("state") && text(layer, "state") != "enforced")
                names.push_back(fmt::format("{} ({})", text(layer, "name"), text(layer, "state")));
    return with("; not enforced: ", list(names));
}

std::string started(const Json& event) {
    const auto policy = event.find("policy");
    const std::string name =
        policy != event.end() && policy->is_object() ? text(*policy, "name") : text(event, "policy");
    return fmt::format("started  {}{}: {}{}{}{}{}", text(event, "name"), with(" (", text(event, "id"), ")"),
                       command_line(texts(event, "argv")), with(", in ", text(event, "workspace")),
                       with(", policy ", name), with(", kept home ", text(event, "home")), missing_layers(event));
}

std::string ended(const Json& event) {
    std::string line = fmt::format("ended    {}", with("status ", text(event, "status")));
    line += with(": ", text(event, "reason"));
    if (const auto totals = event.find("totals"); totals != event.end() && totals->is_object())
        line += fmt::format("; {} allowed, {} denied, {} {} denied, {} sent, {} received", number(*totals, "allowed"),
                            number(*totals, "denied"), number(*totals, "calls_denied"),
                            number(*totals, "calls_denied") == 1 ? "call" : "calls",
                            bytes(number(*totals, "bytes_sent")), bytes(number(*totals, "bytes_received")));
    return line;
}

std::string other(const Json& event) {
    std::string line = text(event, "kind");
    for (const auto& [name, value] : event.items())
        if (name != "seq" && name != "time" && name != "kind")
            line += fmt::format("  {}={}", visible(name), shown(value));
    return line;
}

std::string sentence(const Json& event) {
    const std::string kind = text(event, "kind");
    if (kind == "session-started") return started(event);
    if (kind == "session-ended") return ended(event);
    if (kind == "dns")
        return fmt::format("{:<8} {}{}{}{}{}", text(event, "verdict"),
                           text(event, "name").empty() ? "a name" : "name " + text(event, "name"),
                           with(" (", text(event, "type"), ")"), process(event), because(event), times(event));
    if (kind == "egress")
        return fmt::format("{:<8} {}{}{}{}{}{}", text(event, "verdict"), place(event), with(" #", text(event, "conn")),
                           with(" through the proxy ", text(event, "proxy")), process(event), because(event),
                           times(event));
    if (kind == "egress-closed")
        return fmt::format("closed   connection {}  {} sent, {} received, after {} ms{}", text(event, "conn"),
                           bytes(number(event, "bytes_sent")), bytes(number(event, "bytes_received")),
                           number(event, "duration_ms"), because(event));
    if (kind == "syscall-denied")
        return fmt::format("denied   {}({}){}{}{}", text(event, "syscall"), list(texts(event, "args")), process(event),
                           with(": ", errno_name(event)) + with(", ", text(event, "reason")), times(event));
    if (kind == "asked") return fmt::format("asked    may it reach {}{}", place(event), process(event));
    if (kind == "answered")
        return fmt::format("answered {} for {}{}{}{}", text(event, "answer"), place(event),
                           with(", scope ", text(event, "scope")), with(", until ", text(event, "until")),
                           with("  by ", text(event, "by")));
    if (kind == "planted")
        return fmt::format("planted  {}{}{}", text(event, "path"), process(event),
                           with("; moved to ", text(event, "aside")));
    if (kind == "resumed") return fmt::format("resumed  {}{}", text(event, "answer"), with("  by ", text(event, "by")));
    if (kind == "policy-changed")
        return fmt::format("changed  policy: {}{}", text(event, "change"), with("  by ", text(event, "by")));
    return other(event);
}

} // namespace

std::string in_words(const StoredEvent& stored) {
    const Json event = stored.parsed();
    const std::string time = text(event, "time");
    return fmt::format("{}  {}", time.size() == 27 ? time.substr(11, 15) : std::string("--:--:--.------"),
                       sentence(event));
}

} // namespace belljar
