// `belljar doctor`: all checks, as a list for people or for scripts. Ends with 1 when a session could not start here.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/doctor.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct DoctorOptions {
    bool json = false;
    std::string user;
};

std::string word_for(Check::State state) {
    switch (state) {
    case Check::State::Ok:
        return "ok";
    case Check::State::Note:
        return "note";
    case Check::State::Missing:
        return "missing";
    }
    return "";
}

Tint tint_for(Check::State state) {
    switch (state) {
    case Check::State::Ok:
        return Tint::Good;
    case Check::State::Note:
        return Tint::Warn;
    case Check::State::Missing:
        return Tint::Bad;
    }
    return Tint::None;
}

std::string in_words(const std::vector<Check>& checks, bool able, bool colour) {
    std::string out;
    for (const Check& check : checks) {
        out += tinted(fmt::format("{:<8}", word_for(check.state)), tint_for(check.state), colour);
        out += fmt::format("{}: {}\n", check.name, visible(check.found));
        if (!check.advice.empty()) out += fmt::format("        → {}\n", visible(check.advice));
    }
    out += able ? tinted("Sessions can run here.", Tint::Good, colour)
                : tinted("Sessions cannot run here: see what is missing.", Tint::Bad, colour);
    return out + "\n";
}

int examine(const DoctorOptions& options) {
    Status became = become_user(options.user);
    const auto place = became ? find_place() : Result<Place>(tl::unexpected(became.error()));
    if (!place) {
        complain(place.error());
        return kFailed;
    }
    const std::vector<Check> checks = check_everything(*place);
    const bool able = std::none_of(checks.begin(), checks.end(),
                                   [](const Check& check) { return check.state == Check::State::Missing; });
    if (options.json) {
        Json list = Json::array();
        for (const Check& check : checks)
            list.push_back({{"name", check.name},
                            {"state", word_for(check.state)},
                            {"found", check.found},
                            {"advice", check.advice}});
        print_json({{"version", BELLJAR_VERSION}, {"able", able}, {"checks", list}});
    } else {
        print(in_words(checks, able, wants_colour(STDOUT_FILENO)));
    }
    return able ? 0 : kFailed;
}

} // namespace

Action declare_doctor(Options& options) {
    auto chosen = std::make_shared<DoctorOptions>();
    options.flag("--json", chosen->json, "A JSON object");
    options.value("--user", chosen->user, ValueKind::User, "As root: check as that user");
    return [chosen] { return examine(*chosen); };
}

} // namespace belljar::cli
