// belljar-filter: writes a session's seccomp filter as struct sock_filter[] to standard output. The build makes the
// built-in profiles with it; the builder runs it for policies with calls of their own, so that what starts every
// session links no libseccomp.
#include "core/syscalls/filter.h"
#include "core/system/files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unistd.h>

namespace belljar {
namespace {

constexpr std::string_view kUsage =
    "usage: belljar-filter [--profile NAME] [--nested] [--allow CALL]... [--deny CALL]... [--json | --explain]\n"
    "Writes the filter program (struct sock_filter[]) to standard output.\n"
    "  --nested    with the calls of a sandbox inside the session\n"
    "  --json      the instructions as JSON\n"
    "  --explain   each system call with its verdict, as a table\n";

enum class Output { Program, Json, Explanation, Usage };

struct Request {
    SyscallSpec spec;
    Output output = Output::Program;
};

Result<Request> parse(std::span<char* const> arguments) {
    Request request;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view option = arguments[i];
        if (option == "--json")
            request.output = Output::Json;
        else if (option == "--explain")
            request.output = Output::Explanation;
        else if (option == "--help")
            request.output = Output::Usage;
        else if (option == "--nested")
            request.spec.nested = true;
        else if (option != "--profile" && option != "--allow" && option != "--deny")
            return failure("belljar-filter", "unknown argument " + std::string(option), "see belljar-filter --help");
        else if (i + 1 == arguments.size())
            return failure("belljar-filter", std::string(option) + " wants a name", "see belljar-filter --help");
        else if (option == "--profile")
            request.spec.profile = arguments[++i];
        else
            (option == "--allow" ? request.spec.allow : request.spec.deny).emplace_back(arguments[++i]);
    }
    return request;
}

std::string as_json(std::span<const sock_filter> program) {
    nlohmann::json list = nlohmann::json::array();
    for (const sock_filter& one : program)
        list.push_back({{"code", one.code}, {"jt", one.jt}, {"jf", one.jf}, {"k", one.k}});
    return list.dump() + "\n";
}

std::string_view word(CallVerdict::Kind kind) {
    switch (kind) {
    case CallVerdict::Kind::Allowed:
        return "allowed";
    case CallVerdict::Kind::AllowedWhen:
        return "allowed";
    case CallVerdict::Kind::Notified:
        return "denied";
    case CallVerdict::Kind::Missing:
        return "missing";
    }
    return {};
}

std::string as_table(std::span<const CallVerdict> verdicts) {
    std::string table = fmt::format("{:>6}  {:<26}{:<9}{}\n", "NUMBER", "CALL", "VERDICT", "CONDITION");
    for (const CallVerdict& one : verdicts) {
        // The only one that is neither allowed nor denied by the filter.
        const bool is_connect = one.name == "connect";
        std::string line =
            fmt::format("{:>6}  {:<26}{:<9}{}", one.number, one.name, is_connect ? "asked" : word(one.kind),
                        is_connect ? "the supervisor decides each connection" : one.condition);
        line.erase(line.find_last_not_of(' ') + 1);
        table += line + "\n";
    }
    return table;
}

Result<std::string> output_of(const Request& request) {
    if (request.output == Output::Usage) return std::string(kUsage);
    if (request.output == Output::Explanation)
        return call_verdicts(request.spec).map([](const auto& verdicts) { return as_table(verdicts); });
    return build_filter(request.spec).map([&](const std::vector<sock_filter>& program) {
        if (request.output == Output::Json) return as_json(program);
        return std::string(reinterpret_cast<const char*>(program.data()), program.size() * sizeof(sock_filter));
    });
}

} // namespace
} // namespace belljar

int main(int argc, char** argv) {
    using namespace belljar;
    const auto written =
        parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1))
            .and_then(output_of)
            .and_then([](const std::string& bytes) { return write_all(STDOUT_FILENO, bytes, "standard output"); });
    if (written) return 0;
    fmt::print(stderr, "{}\n", written.error().message());
    return 1;
}
