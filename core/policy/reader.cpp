#include "core/policy/reader.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::size_t kMostDiagnostics = 100;
constexpr std::size_t kLongestQuote = 200; // bytes of a value that a diagnostic repeats

std::string_view type_name(const toml::node& node) {
    switch (node.type()) {
    case toml::node_type::none:
        return "nothing";
    case toml::node_type::table:
        return "a table";
    case toml::node_type::array:
        return "a list";
    case toml::node_type::string:
        return "a string";
    case toml::node_type::integer:
        return "an integer";
    case toml::node_type::floating_point:
        return "a number with a fraction";
    case toml::node_type::boolean:
        return "a boolean";
    case toml::node_type::date:
        return "a date";
    case toml::node_type::time:
        return "a time";
    case toml::node_type::date_time:
        return "a date and time";
    }
    return "something else";
}

std::string out_of_range(const auto& least, const auto& most) {
    return fmt::format("out of range: {} to {}", least, most);
}

} // namespace

void Reader::error(const toml::source_region& place, std::string message, std::string suggestion) {
    if (enough()) return;
    if (diagnostics_.size() == kMostDiagnostics)
        diagnostics_.push_back({file_, 0, 0, "more errors follow", "correct these first"});
    else
        diagnostics_.push_back(
            {file_, place.begin.line, place.begin.column, std::move(message), std::move(suggestion)});
}

void Reader::error(const toml::node& node, std::string why, std::string suggestion) {
    error(node.source(), fmt::format("{}: {}", key, why), std::move(suggestion));
}

void Reader::error(const toml::node& node, std::string_view value, const Error& reason) {
    error(node, fmt::format("'{}': {}", visible(value.substr(0, kLongestQuote)), reason.why), reason.next);
}

void Reader::wrong_type(const toml::node& node, std::string_view wanted) {
    error(node, fmt::format("{} is wanted here, not {}", wanted, type_name(node)));
}

std::optional<std::string> Reader::string(const toml::node& node, std::string_view wanted) {
    if (const auto* text = node.as_string()) return text->get();
    wrong_type(node, wanted);
    return std::nullopt;
}

std::optional<std::uint64_t> Reader::integer(const toml::node& node, std::uint64_t least, std::uint64_t most) {
    const auto* number = node.as_integer();
    if (!number) {
        wrong_type(node, "an integer");
        return std::nullopt;
    }
    if (number->get() < 0) {
        error(node, out_of_range(least, most));
        return std::nullopt;
    }
    const auto value = static_cast<std::uint64_t>(number->get());
    if (!in_range(node, value, least, most)) return std::nullopt;
    return value;
}

bool Reader::in_range(const toml::node& node, double value, double least, double most) {
    if (value >= least && value <= most) return true; // false for NaN
    error(node, out_of_range(least, most));
    return false;
}

bool Reader::in_range(const toml::node& node, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    if (value >= least && value <= most) return true;
    error(node, out_of_range(least, most));
    return false;
}

bool Reader::enough() const {
    return diagnostics_.size() > kMostDiagnostics;
}

Diagnostics Reader::take() {
    std::stable_sort(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& one, const Diagnostic& other) {
        if ((one.line == 0) != (other.line == 0)) return other.line == 0; // what has no place comes last
        return std::pair(one.line, one.column) < std::pair(other.line, other.column);
    });
    return std::move(diagnostics_);
}

} // namespace belljar
