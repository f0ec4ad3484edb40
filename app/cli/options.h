// The options of one command, declared once and used three times: to read the command line, to write the help, and to
// answer shell completion. CLI11 does the reading; it stays inside options.cpp, so that no other file pays for its
// header.
#pragma once

#include "core/system/error.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::cli {

// What an option's value or a positional is: the word in the help, and what the shell offers for it.
enum class ValueKind { Text, Session, Connection, Keys, Policy, File, Folder, Format, User, Variable, Host, Age, KeptHome };

struct DeclaredOption {
    std::vector<std::string> names; // "-p", "--policy"; empty for a positional
    ValueKind kind = ValueKind::Text;
    bool takes_value = false;
    bool repeats = false;
    std::string help;
};

class Options {
public:
    Options(std::string usage, std::string summary, std::string examples);
    Options(Options&&) noexcept;
    ~Options();

    // References must outlive parse().
    void flag(const std::string& names, bool& into, const std::string& help);
    void value(const std::string& names, std::string& into, ValueKind kind, const std::string& help);
    void values(const std::string& names, std::vector<std::string>& into, ValueKind kind, const std::string& help);
    void positional(const std::string& name, std::string& into, ValueKind kind, const std::string& help); // required
    void positionals(const std::string& name, std::vector<std::string>& into, ValueKind kind,
                     const std::string& help); // one or more
    // Everything from the first word that is no option (or after --) belongs to a command of its own.
    void command_line(std::vector<std::string>& into);
    // The whole line as it was given, for who wants to say it again.
    void keep_given(std::vector<std::string>& into);

    enum class Parsed { Run, Help };
    // An Error's text is ready for a person and names the nearest option.
    Result<Parsed> parse(std::vector<std::string> arguments);
    std::string help() const;
    const std::vector<DeclaredOption>& declared() const;
    bool takes_command_line() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

std::string_view word_for(ValueKind kind); // "POLICY"

} // namespace belljar::cli
