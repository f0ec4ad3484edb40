#include "app/cli/options.h"

#include "app/cli/nearest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace belljar::cli {
namespace {

// CLI11 derives "Usage:" from the declarations; a written line says more (where `--` goes, what repeats).
class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {
        column_width(28);
        label("Positionals", "Arguments");
    }
    std::string make_usage(const CLI::App*, std::string) const override { return "\nUsage: " + usage_ + "\n"; }
    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_type_size() == 0 || option->get_positional()) return {};
        return " " + option->get_type_name();
    }

private:
    std::string usage_;
};

std::vector<std::string> split_names(const std::string& names) {
    std::vector<std::string> list;
    for (std::size_t start = 0; start < names.size();) {
        const std::size_t comma = std::min(names.find(',', start), names.size());
        list.push_back(names.substr(start, comma - start));
        start = comma + 1;
    }
    return list;
}

} // namespace

std::string_view word_for(ValueKind kind) {
    switch (kind) {
    case ValueKind::Text:
        return "TEXT";
    case ValueKind::Session:
        return "ID";
    case ValueKind::Connection:
        return "CONNECTION";
    case ValueKind::Keys:
        return "KEYS";
    case ValueKind::Policy:
        return "POLICY";
    case ValueKind::File:
        return "FILE";
    case ValueKind::Folder:
        return "DIR";
    case ValueKind::Format:
        return "FORMAT";
    case ValueKind::User:
        return "USER";
    case ValueKind::Variable:
    case ValueKind::KeptHome:
        return "NAME";
    case ValueKind::Age:
        return "AGE";
    case ValueKind::Host:
        return "HOST[:PORT]";
    }
    return "";
}

struct Options::Impl {
    CLI::App app;
    std::vector<DeclaredOption> declared;
    std::vector<std::string>* command = nullptr;
    std::vector<std::string>* given = nullptr;
    bool help_wanted = false;
    std::string program; // "belljar run"

    void declare(CLI::Option* option, const std::string& names, ValueKind kind, bool takes_value, bool repeats,
                 const std::string& help) {
        if (takes_value) option->type_name(std::string(word_for(kind)));
        declared.push_back({names.starts_with('-') ? split_names(names) : std::vector<std::string>(), kind, takes_value,
                            repeats, help});
    }

    std::string name() const { return program.substr(std::min(program.size(), std::string_view("belljar ").size())); }
    tl::unexpected<Error> refuse(const std::string& why) const {
        return failure(name(), why, fmt::format("`{} --help` shows how", program));
    }
    tl::unexpected<Error> refuse_unknown(const std::string& word) const {
        const std::string shown = visible(word);
        if (!word.starts_with('-') || word == "-") return refuse(fmt::format("unexpected argument '{}'", shown));
        std::vector<std::string> known;
        for (const DeclaredOption& option : declared)
            known.insert(known.end(), option.names.begin(), option.names.end());
        if (const auto close = nearest(word.substr(0, word.find('=')), known))
            return failure(name(), fmt::format("unknown option '{}'", shown),
                           fmt::format("did you mean '{}'?", *close));
        return refuse(fmt::format("unknown option '{}'", shown));
    }
};

Options::Options(std::string usage, std::string summary, std::string examples) : impl_(std::make_unique<Impl>()) {
    impl_->program = usage.substr(0, std::min(usage.find(" ["), usage.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") - 1));
    impl_->app.description(std::move(summary));
    impl_->app.formatter(std::make_shared<HelpFormatter>(std::move(usage)));
    impl_->app.footer(examples.empty() ? std::string() : "Examples:\n" + std::move(examples));
    impl_->app.set_help_flag();
    flag("-h,--help", impl_->help_wanted, "Show this and stop");
}
Options::Options(Options&&) noexcept = default;
Options::~Options() = default;

void Options::flag(const std::string& names, bool& into, const std::string& help) {
    impl_->declare(impl_->app.add_flag(names, into, help), names, ValueKind::Text, false, false, help);
}
void Options::value(const std::string& names, std::string& into, ValueKind kind, const std::string& help) {
    impl_->declare(impl_->app.add_option(names, into, help), names, kind, true, false, help);
}
void Options::values(const std::string& names, std::vector<std::string>& into, ValueKind kind,
                     const std::string& help) {
    // allow_extra_args would let one option swallow the words after it, and split "[a,b]".
    CLI::Option* option = impl_->app.add_option(names, into, help)->allow_extra_args(false)->take_all();
    impl_->declare(option, names, kind, true, true, help);
}
void Options::positional(const std::string& name, std::string& into, ValueKind kind, const std::string& help) {
    impl_->declare(impl_->app.add_option(name, into, help)->required(), name, kind, true, false, help);
}
void Options::positionals(const std::string& name, std::vector<std::string>& into, ValueKind kind,
                          const std::string& help) {
    impl_->declare(impl_->app.add_option(name, into, help)->required(), name, kind, true, true, help);
}
void Options::command_line(std::vector<std::string>& into) {
    impl_->command = &into;
    impl_->app.prefix_command();
}

void Options::keep_given(std::vector<std::string>& into) {
    impl_->given = &into;
}

Result<Options::Parsed> Options::parse(std::vector<std::string> arguments) {
    if (impl_->given != nullptr) *impl_->given = arguments;
    std::reverse(arguments.begin(), arguments.end());
    try {
        impl_->app.parse(arguments);
    } catch (const CLI::ExtrasError&) {
        const auto extra = impl_->app.remaining();
        if (impl_->help_wanted) return Parsed::Help;
        for (const std::string& word : extra)
            if (word != "--") return impl_->refuse_unknown(word);
        return impl_->refuse("unexpected argument");
    } catch (const CLI::RequiredError& error) {
        if (impl_->help_wanted) return Parsed::Help;
        for (const std::string& word : impl_->app.remaining())
            if (word.starts_with('-') && word != "--") return impl_->refuse_unknown(word);
        return impl_->refuse(visible(error.what()));
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string what = error.what(); // "--allow: 1 required HOST[:PORT] missing"
        const bool missing = what.ends_with(" missing") && what.find(": ") != what.npos;
        return impl_->refuse(visible(missing ? what.substr(0, what.find(": ")) + ": its value is missing" : what));
    } catch (const CLI::ParseError& error) {
        return impl_->refuse(visible(error.what()));
    }
    if (impl_->help_wanted) return Parsed::Help;
    if (impl_->command != nullptr) {
        std::vector<std::string> rest = impl_->app.remaining();
        if (!rest.empty() && rest.front() == "--")
            rest.erase(rest.begin());
        else if (!rest.empty() && rest.front().starts_with('-') && rest.front() != "-")
            return impl_->refuse_unknown(rest.front());
        *impl_->command = std::move(rest);
    }
    return Parsed::Run;
}

std::string Options::help() const {
    return impl_->app.help();
}
const std::vector<DeclaredOption>& Options::declared() const {
    return impl_->declared;
}
bool Options::takes_command_line() const {
    return impl_->command != nullptr;
}

} // namespace belljar::cli
