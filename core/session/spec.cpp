// The spec's JSON form. One table of members serves both directions: `describe` names each member once, and a writer or
// a strict reader walks it. Every string passes bytes_to_text, so that arguments and paths of any bytes survive.
#include "core/session/spec.h"

#include "core/session/identity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace belljar {
namespace {

using json = nlohmann::json;

template <class Enum>
using Words = std::array<std::pair<Enum, std::string_view>, 3>;

constexpr Words<MountMode> words_of(MountMode) {
    return {{{MountMode::Read, "read"}, {MountMode::Write, "write"}, {MountMode::Hide, "hide"}}};
}
constexpr Words<StreamKind> words_of(StreamKind) {
    return {{{StreamKind::Terminal, "terminal"}, {StreamKind::Pipe, "pipe"}, {StreamKind::Null, "null"}}};
}

void describe(auto& members, auto& mount, const MountSpec*) {
    members("path", mount.path);
    members("mode", mount.mode);
}
void describe(auto& members, auto& rules, const EgressRules*) {
    members("source", rules.source);
    members("fallback", rules.fallback);
    members("allow", rules.allow);
    members("deny", rules.deny);
    members("private_names", rules.private_names);
}
void describe(auto& members, auto& proxy, const ProxySpec*) {
    members("host", proxy.host);
    members("port", proxy.port);
    members("authorization", proxy.authorization);
    members("direct", proxy.direct);
}
void describe(auto& members, auto& syscalls, const SyscallSpec*) {
    members("profile", syscalls.profile);
    members("allow", syscalls.allow);
    members("deny", syscalls.deny);
    members("nested", syscalls.nested);
}
void describe(auto& members, auto& limits, const LimitSpec*) {
    members("memory_bytes", limits.memory_bytes);
    members("processes", limits.processes);
    members("open_files", limits.open_files);
    members("cpus", limits.cpus);
    members("scratch_bytes", limits.scratch_bytes);
    members("duration_seconds", limits.duration_seconds);
}
void describe(auto& members, auto& terminal, const TerminalSpec*) {
    members("standard_input", terminal.standard_input);
    members("standard_output", terminal.standard_output);
    members("standard_error", terminal.standard_error);
    members("rows", terminal.rows);
    members("columns", terminal.columns);
}
void describe(auto& members, auto& spec, const SessionSpec*) {
    members("id", spec.id);
    members("name", spec.name);
    members("argv", spec.argv);
    members("environment", spec.environment);
    members("workspace", spec.workspace);
    members("workspace_writable", spec.workspace_writable);
    members("working_directory", spec.working_directory);
    members("user", spec.user);
    members("uid", spec.uid);
    members("gid", spec.gid);
    members("home", spec.home);
    members("kept_home", spec.kept_home);
    members("shell", spec.shell);
    members("policy_name", spec.policy_name);
    members("policy_sha256", spec.policy_sha256);
    members("require", spec.require);
    members("system", spec.system);
    members("mounts", spec.mounts);
    members("egress", spec.egress);
    members("proxy", spec.proxy);
    members("syscalls", spec.syscalls);
    members("limits", spec.limits);
    members("terminal", spec.terminal);
    members("detached", spec.detached);
    members("state_folder", spec.state_folder);
    members("runtime_folder", spec.runtime_folder);
}

template <class T>
concept Described = requires(T value) {
    value == value;
}
&&std::is_class_v<T> && !std::same_as<T, std::string>;

class Writer {
public:
    explicit Writer(json& object) : object_(object) {}
    void operator()(const char* name, const auto& value) { object_[name] = encode(value); }

    static json encode(const std::string& text) { return bytes_to_text(text); }
    static json encode(bool value) { return value; }
    static json encode(std::unsigned_integral auto value) { return value; }
    static json encode(double value) { return value; }
    template <class T>
    requires std::is_enum_v<T>
    static json encode(T value) {
        for (const auto& [constant, word] : words_of(value))
            if (constant == value) return std::string(word);
        throw std::logic_error("session spec: an enumerator without a word");
    }
    template <class T>
    static json encode(const std::optional<T>& value) {
        return value ? encode(*value) : json(nullptr);
    }
    template <class T>
    static json encode(const std::vector<T>& list) {
        json out = json::array();
        for (const T& item : list)
            out.push_back(encode(item));
        return out;
    }
    template <Described T>
    static json encode(const T& value) {
        json out = json::object();
        Writer members(out);
        describe(members, value, static_cast<const T*>(nullptr));
        return out;
    }

private:
    json& object_;
};

// Keeps the first fault, with the member it was found at; after one, the rest is left as it is.
struct Fault {
    std::string at, why;
    bool found() const { return !why.empty(); }
};

class Reader {
public:
    Reader(const json& object, std::string at, Fault& fault) : object_(object), at_(std::move(at)), fault_(fault) {}

    void operator()(const char* name, auto& value) {
        if (fault_.found()) return;
        const std::string member = at_.empty() ? name : at_ + "." + name;
        const auto found = object_.find(name);
        if (found == object_.end()) return refuse(member, "missing");
        ++taken_;
        known_.push_back(name);
        decode(*found, member, value);
    }

    void finish() {
        if (fault_.found() || taken_ == object_.size()) return;
        for (const auto& [name, value] : object_.items())
            if (std::find(known_.begin(), known_.end(), name) == known_.end())
                return refuse(at_.empty() ? name : at_ + "." + name, "unknown member");
    }

    template <Described T>
    void decode(const json& from, const std::string& at, T& value) {
        if (!from.is_object()) return refuse(at, "not an object");
        Reader members(from, at, fault_);
        describe(members, value, static_cast<const T*>(nullptr));
        members.finish();
    }

private:
    void refuse(const std::string& at, std::string why) {
        if (!fault_.found()) fault_ = {at, std::move(why)};
    }
    void decode(const json& from, const std::string& at, std::string& value) {
        if (!from.is_string()) return refuse(at, "not a string");
        value = text_to_bytes(from.get_ref<const std::string&>());
        if (value.find('\0') != std::string::npos) refuse(at, "contains a NUL byte");
    }
    void decode(const json& from, const std::string& at, bool& value) {
        if (!from.is_boolean()) return refuse(at, "not true or false");
        value = from.get<bool>();
    }
    template <std::unsigned_integral T>
    void decode(const json& from, const std::string& at, T& value) {
        if (!from.is_number_unsigned()) return refuse(at, "not a whole number");
        const auto number = from.get<std::uint64_t>();
        if (number > std::numeric_limits<T>::max()) return refuse(at, "too large");
        value = static_cast<T>(number);
    }
    void decode(const json& from, const std::string& at, double& value) {
        if (!from.is_number()) return refuse(at, "not a number");
        value = from.get<double>();
        if (!std::isfinite(value)) refuse(at, "not a finite number");
    }
    template <class T>
    requires std::is_enum_v<T>
    void decode(const json& from, const std::string& at, T& value) {
        if (!from.is_string()) return refuse(at, "not a string");
        for (const auto& [constant, word] : words_of(value))
            if (from.get_ref<const std::string&>() == word) {
                value = constant;
                return;
            }
        refuse(at, "not a word that is known here");
    }
    template <class T>
    void decode(const json& from, const std::string& at, std::optional<T>& value) {
        if (from.is_null()) return value.reset();
        decode(from, at, value.emplace());
    }
    template <class T>
    void decode(const json& from, const std::string& at, std::vector<T>& list) {
        if (!from.is_array()) return refuse(at, "not a list");
        list.clear();
        list.reserve(from.size());
        for (const json& item : from) {
            const std::string place = fmt::format("{}[{}]", at, list.size());
            decode(item, place, list.emplace_back());
            if (fault_.found()) return;
        }
    }

    const json& object_;
    std::string at_;
    Fault& fault_;
    std::size_t taken_ = 0;
    std::vector<std::string_view> known_;
};

bool is_normalised_absolute(std::string_view path) {
    if (path.empty() || path[0] != '/') return false;
    if (path == "/") return true;
    while (!path.empty()) {
        path.remove_prefix(1); // the slash
        const std::string_view part = path.substr(0, path.find('/'));
        if (part.empty() || part == "." || part == "..") return false;
        path.remove_prefix(part.size());
    }
    return true;
}

bool is_visible_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

// What the types cannot say.
Fault check_values(const SessionSpec& spec) {
    if (!is_session_id(spec.id)) return {"id", "not 12 lower-case hexadecimal digits"};
    if (spec.argv.empty()) return {"argv", "empty"};
    for (const std::string& variable : spec.environment)
        if (const std::size_t equals = variable.find('='); equals == 0 || equals == std::string::npos)
            return {"environment", "an entry that is not NAME=VALUE"};
    const auto path_fault = [](const char* at, const std::string& path) -> Fault {
        return is_normalised_absolute(path) ? Fault{} : Fault{at, "not an absolute, normalised path: " + path};
    };
    for (const auto& [at, path] : {std::pair{"workspace", &spec.workspace},
                                   {"working_directory", &spec.working_directory},
                                   {"home", &spec.home},
                                   {"shell", &spec.shell},
                                   {"state_folder", &spec.state_folder},
                                   {"runtime_folder", &spec.runtime_folder}})
        if (Fault fault = path_fault(at, *path); fault.found()) return fault;
    if (!spec.kept_home.empty())
        if (Fault fault = path_fault("kept_home", spec.kept_home); fault.found()) return fault;
    for (const std::string& path : spec.system)
        if (Fault fault = path_fault("system", path); fault.found()) return fault;
    for (const MountSpec& mount : spec.mounts)
        if (Fault fault = path_fault("mounts", mount.path); fault.found()) return fault;
    for (const EgressRules& rules : spec.egress)
        if (rules.fallback != "deny" && rules.fallback != "ask" && rules.fallback != "observe")
            return {"egress", "fallback is not deny, ask or observe: " + rules.fallback};
    // Both go into the head of a request.
    if (spec.proxy && (spec.proxy->port == 0 || spec.proxy->host.empty() || !is_visible_ascii(spec.proxy->host)))
        return {"proxy", "not a host and a port"};
    if (spec.proxy && !is_visible_ascii(spec.proxy->authorization)) return {"proxy.authorization", "not printable ASCII"};
    if (spec.syscalls.profile != "default" && spec.syscalls.profile != "strict")
        return {"syscalls.profile", "not default or strict: " + spec.syscalls.profile};
    if (spec.limits.cpus && *spec.limits.cpus <= 0) return {"limits.cpus", "not more than 0"};
    return {};
}

constexpr int kMaxDepth = 8;

} // namespace

std::string ProxySpec::place() const {
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

SessionSpec spec_for_inside(SessionSpec spec) {
    spec.proxy.reset();
    return spec;
}

SessionSpec spec_for_disk(SessionSpec spec) {
    if (spec.proxy) spec.proxy->authorization.clear();
    return spec;
}

std::string to_json(const SessionSpec& spec) {
    return Writer::encode(spec).dump();
}

Result<SessionSpec> parse_session_spec(std::string_view text) {
    if (text.size() > kMaxSpecBytes) return failure("session spec", fmt::format("larger than {} bytes", kMaxSpecBytes));
    // nlohmann keeps the last of two members of one name; two readers must never see two different specs, so it is
    // refused.
    std::vector<std::vector<std::string>> seen;
    std::string duplicate;
    bool too_deep = false;
    const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth > kMaxDepth) too_deep = true;
        if (event == json::parse_event_t::object_start) seen.emplace_back();
        if (event == json::parse_event_t::object_end && !seen.empty()) seen.pop_back();
        if (event == json::parse_event_t::key && !seen.empty()) {
            const auto& name = parsed.get_ref<const std::string&>();
            auto& names = seen.back();
            if (std::find(names.begin(), names.end(), name) != names.end())
                duplicate = name;
            else if (names.size() < 64)
                names.push_back(name);
        }
        return !too_deep && duplicate.empty();
    };
    const json parsed = json::parse(text, watch, false);
    if (too_deep) return failure("session spec", "nested too deeply");
    if (!duplicate.empty()) return failure("session spec", "member " + duplicate + " stands there twice");
    if (parsed.is_discarded()) return failure("session spec", "not valid JSON");
    SessionSpec spec;
    Fault fault;
    Reader(parsed, {}, fault).decode(parsed, {}, spec);
    if (!fault.found()) fault = check_values(spec);
    if (fault.found()) return failure("session spec", fault.at.empty() ? fault.why : fault.at + ": " + fault.why);
    return spec;
}

} // namespace belljar
