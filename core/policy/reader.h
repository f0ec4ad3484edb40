// One reading of one policy file: where it is, what was found, what was wrong. It turns TOML nodes into values, or into
// diagnostics with the node's place; which keys there are is parse.cpp's subject.
#pragma once

#include "core/policy/parse.h"
#include "core/policy/toml.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace belljar {

class Reader {
public:
    Reader(const std::string& file, PolicyOrigin where, Policy& into) : policy(into), origin(where), file_(file) {}

    Policy& policy;
    const PolicyOrigin origin;
    std::string key; // the dotted key that is being read; diagnostics about values begin with it

    void error(const toml::source_region& place, std::string message, std::string suggestion = {});
    void error(const toml::node& node, std::string why, std::string suggestion = {});
    void error(const toml::node& node, std::string_view value, const Error& reason); // 'value': why; next
    void wrong_type(const toml::node& node, std::string_view wanted);

    // Each is nullopt (or false) after it has reported.
    std::optional<std::string> string(const toml::node& node, std::string_view wanted = "a string");
    std::optional<std::uint64_t> integer(const toml::node& node, std::uint64_t least, std::uint64_t most);
    bool in_range(const toml::node& node, double value, double least, double most);
    bool in_range(const toml::node& node, std::uint64_t value, std::uint64_t least, std::uint64_t most);

    struct Checked {
        std::string value, same; // what is kept, and what two entries of a list must not share
    };
    // A list of strings, each turned by `check` into Result<Checked>; what comes twice is an error. Replaces `into`.
    template <class Check>
    void list(const toml::node& node, std::vector<std::string>& into, Check check) {
        const toml::array* array = node.as_array();
        if (!array) return wrong_type(node, "a list of strings");
        into.clear();
        std::set<std::string> seen;
        for (const toml::node& element : *array) {
            if (enough()) return;
            const auto text = string(element);
            if (!text) continue;
            const Result<Checked> checked = check(*text);
            if (!checked)
                error(element, *text, checked.error());
            else if (!seen.insert(checked->same).second)
                error(element, "'" + visible(*text) + "' is listed twice");
            else
                into.push_back(checked->value);
        }
    }

    // No more is reported; to go on checking would only take time (the nearest of 400 names, for each of 200,000).
    bool enough() const;

    Diagnostics take(); // in the order of the file

private:
    const std::string& file_;
    Diagnostics diagnostics_;
};

} // namespace belljar
