// JSON values against the types of an interface: what a handler is given has passed here, so it need not look again.
#include "core/varlink/interface.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace belljar::varlink {
namespace {

using Kind = Type::Kind;

std::string joined(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
}

// Walks type and value together. The depth is that of the value (parsed messages are capped): a named type is a struct
// or an enumeration, so no cycle of types goes without a step down in the value.
class Comparison {
public:
    explicit Comparison(const Interface& interface) : interface_(interface) {}

    // The path of the first mismatch below `path`, or nothing.
    std::optional<std::string> find(const Type& type, const nlohmann::json& value, const std::string& path) const {
        switch (type.kind) {
        case Kind::Bool:
            return value.is_boolean() ? std::nullopt : std::optional(path);
        case Kind::Int:
            return is_int64(value) ? std::nullopt : std::optional(path);
        case Kind::Float:
            return value.is_number() ? std::nullopt : std::optional(path);
        case Kind::String:
            return value.is_string() ? std::nullopt : std::optional(path);
        case Kind::Object:
            return value.is_object() ? std::nullopt : std::optional(path);
        case Kind::Enum: {
            const bool known = value.is_string() &&
                               std::ranges::find(type.values, value.get_ref<const std::string&>()) != type.values.end();
            return known ? std::nullopt : std::optional(path);
        }
        case Kind::Optional:
            return value.is_null() ? std::nullopt : find(*type.element, value, path);
        case Kind::Named: {
            const auto named = interface_.types.find(type.name);
            return named == interface_.types.end() ? std::optional(path) : find(named->second, value, path);
        }
        case Kind::Array:
            if (!value.is_array()) return path;
            for (std::size_t i = 0; i < value.size(); ++i)
                if (auto found = find(*type.element, value[i], fmt::format("{}[{}]", path, i))) return found;
            return std::nullopt;
        case Kind::Map:
            if (!value.is_object()) return path;
            for (const auto& [key, element] : value.items())
                if (auto found = find(*type.element, element, fmt::format("{}[{}]", path, key))) return found;
            return std::nullopt;
        case Kind::Struct:
            return find_in_struct(type, value, path);
        }
        return path;
    }

private:
    static bool is_int64(const nlohmann::json& value) {
        if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
        return value.is_number_integer();
    }

    std::optional<std::string> find_in_struct(const Type& type, const nlohmann::json& value,
                                              const std::string& path) const {
        if (!value.is_object()) return path;
        for (const auto& [name, member] : type.members) {
            const auto found = value.find(name);
            if (found == value.end()) {
                if (member->kind != Kind::Optional) return joined(path, name);
                continue;
            }
            if (auto mismatch = find(*member, *found, joined(path, name))) return mismatch;
        }
        for (const auto& member : value.items())
            if (std::ranges::none_of(type.members, [&](const auto& known) { return known.first == member.key(); }))
                return joined(path, member.key());
        return std::nullopt;
    }

    const Interface& interface_;
};

} // namespace

std::string Interface::mismatch(const Type& type, const nlohmann::json& value) const {
    const auto found = Comparison(*this).find(type, value, "");
    if (!found) return {};
    return found->empty() ? "parameters" : *found;
}

} // namespace belljar::varlink
