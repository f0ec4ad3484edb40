// The interface language (varlink.org: Interface Definition), read by a recursive-descent parser with a depth of its
// own. What the standard leaves to taste (blank space, comments) is taken freely; everything else is exact.
#include "core/varlink/interface.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar::varlink {
namespace {

using Kind = Type::Kind;
constexpr int kMaxTypeDepth = 32;

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}
bool is_alphanumeric(char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
}

// [A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+
bool is_interface_name(std::string_view name) {
    if (name.empty() || name.size() > 255 || !is_letter(name.front())) return false;
    bool dotted = false;
    char before = '.';
    for (const char c : name) {
        if (!is_alphanumeric(c) && c != '-' && c != '.') return false;
        if (before == '.' && !is_alphanumeric(c)) return false;
        if (before == '-' && c == '.') return false;
        dotted |= c == '.';
        before = c;
    }
    return dotted && is_alphanumeric(before);
}

// [A-Z][A-Za-z0-9]*
bool is_member_name(std::string_view name) {
    if (name.empty() || !is_upper(name.front())) return false;
    for (const char c : name)
        if (!is_alphanumeric(c)) return false;
    return true;
}

// [A-Za-z](_?[A-Za-z0-9])*
bool is_field_name(std::string_view name) {
    if (name.empty() || !is_letter(name.front()) || name.back() == '_') return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '_' ? name[i - 1] == '_' : !is_alphanumeric(name[i])) return false;
    }
    return true;
}

// What a parse cannot go on from; caught in Interface::parse, where it becomes an Error.
struct SyntaxError {
    std::size_t offset;
    std::string reason;
};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Interface run() {
        Interface interface;
        expect_keyword("interface");
        interface.name = word("an interface name", is_interface_name);
        for (skip(); at_ < text_.size(); skip()) {
            const std::size_t start = at_;
            const std::string keyword = bare_word();
            if (keyword == "type") {
                const std::string name = member_name(interface);
                interface.types.emplace(name, fields_or_enum(0));
            } else if (keyword == "method") {
                const std::string name = member_name(interface);
                Type input = fields();
                if (!accept("->")) fail("expected \"->\"");
                interface.methods.emplace(name, Method{std::move(input), fields()});
            } else if (keyword == "error") {
                const std::string name = member_name(interface);
                interface.errors.emplace(name, fields());
            } else {
                throw SyntaxError{start, "expected \"type\", \"method\" or \"error\""};
            }
        }
        for (const auto& [offset, name] : named_)
            if (!interface.types.contains(name)) throw SyntaxError{offset, "unknown type " + name};
        return interface;
    }

private:
    [[noreturn]] void fail(std::string reason) {
        skip();
        throw SyntaxError{at_, std::move(reason)};
    }

    void skip() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#')
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
                ++at_;
            else
                return;
        }
    }

    bool accept(std::string_view token) {
        skip();
        if (!text_.substr(at_).starts_with(token)) return false;
        at_ += token.size();
        return true;
    }

    std::string bare_word() {
        skip();
        const std::size_t start = at_;
        while (at_ < text_.size() &&
               (is_alphanumeric(text_[at_]) || text_[at_] == '_' || text_[at_] == '.' || text_[at_] == '-'))
            ++at_;
        // "->" may follow a word directly
        while (at_ > start && text_[at_ - 1] == '-')
            --at_;
        return std::string(text_.substr(start, at_ - start));
    }

    void expect_keyword(const std::string& keyword) {
        skip();
        const std::size_t start = at_;
        if (bare_word() != keyword) throw SyntaxError{start, "expected \"" + keyword + "\""};
    }

    std::string word(const std::string& what, bool (*is_valid)(std::string_view)) {
        skip();
        const std::size_t start = at_;
        std::string name = bare_word();
        if (!is_valid(name)) throw SyntaxError{start, "expected " + what};
        return name;
    }

    std::string member_name(const Interface& interface) {
        skip();
        const std::size_t start = at_;
        std::string name = word("a name that begins with a capital letter", is_member_name);
        if (interface.types.contains(name) || interface.methods.contains(name) || interface.errors.contains(name))
            throw SyntaxError{start, name + " is defined twice"};
        return name;
    }

    Type fields() {
        skip();
        const std::size_t start = at_;
        Type type = fields_or_enum(0);
        if (type.kind != Kind::Struct) throw SyntaxError{start, "expected fields, found an enumeration"};
        return type;
    }

    // "(" ")" | "(" name ":" type, … ")" | "(" name, … ")"
    Type fields_or_enum(int depth) {
        if (!accept("(")) fail("expected \"(\"");
        Type type;
        type.kind = Kind::Struct;
        if (accept(")")) return type;
        for (bool first = true; first || accept(","); first = false) {
            skip();
            const std::size_t start = at_;
            const std::string name = word("a field name", is_field_name);
            const bool typed = accept(":");
            if (first && !typed) type.kind = Kind::Enum;
            if (typed != (type.kind == Kind::Struct)) throw SyntaxError{start, "fields and enumeration values mixed"};
            const bool twice = std::ranges::any_of(type.members, [&](const auto& m) { return m.first == name; }) ||
                               std::ranges::find(type.values, name) != type.values.end();
            if (twice) throw SyntaxError{start, name + " is named twice"};
            if (typed)
                type.members.emplace_back(name, std::make_shared<Type>(type_at(depth + 1)));
            else
                type.values.push_back(name);
        }
        if (!accept(")")) fail("expected \",\" or \")\"");
        return type;
    }

    Type wrap(Kind kind, int depth) {
        Type type;
        type.kind = kind;
        type.element = std::make_shared<Type>(type_at(depth + 1));
        return type;
    }

    Type type_at(int depth) {
        if (depth > kMaxTypeDepth) fail("nested too deeply");
        if (accept("?")) {
            Type type = wrap(Kind::Optional, depth);
            if (type.element->kind == Kind::Optional) fail("\"?\" twice");
            return type;
        }
        if (accept("[]")) return wrap(Kind::Array, depth);
        if (accept("[string]")) return wrap(Kind::Map, depth);
        skip();
        if (text_.substr(at_).starts_with("(")) return fields_or_enum(depth);
        const std::size_t start = at_;
        Type type;
        type.name = bare_word();
        static constexpr std::pair<std::string_view, Kind> basic[] = {{"bool", Kind::Bool},
                                                                      {"int", Kind::Int},
                                                                      {"float", Kind::Float},
                                                                      {"string", Kind::String},
                                                                      {"object", Kind::Object}};
        for (const auto& [name, kind] : basic) {
            if (type.name != name) continue;
            type.kind = kind;
            type.name.clear();
            return type;
        }
        if (!is_member_name(type.name)) throw SyntaxError{start, "expected a type"};
        type.kind = Kind::Named;
        named_.emplace_back(start, type.name);
        return type;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<std::pair<std::size_t, std::string>> named_;
};

std::string position(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::size_t line_start = before.rfind('\n') + 1; // npos + 1 is 0
    return fmt::format("{}:{}", 1 + std::ranges::count(before, '\n'), before.size() - line_start + 1);
}

} // namespace

Result<Interface> Interface::parse(const std::string& text) {
    try {
        Interface interface = Parser(text).run();
        interface.text = text;
        return interface;
    } catch (const SyntaxError& error) {
        return failure("Varlink interface", position(text, error.offset) + ": " + error.reason);
    }
}

} // namespace belljar::varlink
