// Varlink interface definitions (varlink.org: Interface Definition): parsed so that calls can be checked against them.
#pragma once

#include "core/system/error.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace belljar::varlink {

struct Type {
    enum class Kind { Bool, Int, Float, String, Object, Enum, Struct, Array, Map, Optional, Named } kind = Kind::Bool;
    std::string name;                                          // Named
    std::vector<std::string> values;                           // Enum
    std::vector<std::pair<std::string, std::shared_ptr<Type>>> members; // Struct
    std::shared_ptr<Type> element;                             // Array, Map, Optional
};

struct Method { Type input, output; };

struct Interface {
    std::string name, text;
    std::map<std::string, Type> types;
    std::map<std::string, Method> methods;
    std::map<std::string, Type> errors;

    static Result<Interface> parse(const std::string& text);
    // Empty when `value` is of `type`; else the path of the first thing that is not ("spec.argv[2]"). Unknown members count.
    std::string mismatch(const Type& type, const nlohmann::json& value) const;
};

} // namespace belljar::varlink
