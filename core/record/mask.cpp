// What looks like a secret becomes ***. Written as one scan with tables, not as regular expressions: the text is
// hostile, and std::regex recurses over it. The shapes are conservative: a well-known prefix with enough behind it, a
// name that says "password" with a value, the password of a URL. What has no shape (a bare random word) passes;
// docs/record.md says so.
#include "core/record/export.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace belljar {
namespace {

constexpr std::string_view kMask = "***";
// How far to look ahead for a name or a token's first part: keeps the scan linear on text made to slow it down.
constexpr std::string_view kAfterName = "=:\"' \t";
constexpr std::size_t kMaxName = 64, kMaxJwtHeader = 1024;

bool is_alnum(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool is_word(char c) {
    return is_alnum(c) || c == '_' || c == '-';
}
bool is_name(char c) {
    return is_word(c) || c == '.';
}
bool is_credential(char c) {
    return is_word(c) || (c != '\0' && std::string_view("._~+/=").find(c) != std::string_view::npos);
}
bool is_upper(char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_value(char c) {
    return static_cast<unsigned char>(c) > ' ' && std::string_view("&\"';,)}]").find(c) == std::string_view::npos;
}

template <class Accept>
std::size_t run(std::string_view text, Accept accept) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), accept) - text.begin());
}

std::string lowered(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

struct TokenShape {
    std::string_view prefix;
    bool (*accept)(char);
    std::size_t minimum;
};
constexpr std::array kTokens{
    TokenShape{"github_pat_", is_word, 20},  TokenShape{"ghp_", is_alnum, 20},
    TokenShape{"gho_", is_alnum, 20},        TokenShape{"ghu_", is_alnum, 20},
    TokenShape{"ghs_", is_alnum, 20},        TokenShape{"ghr_", is_alnum, 20},
    TokenShape{"glpat-", is_word, 16},       TokenShape{"sk-", is_word, 16},
    TokenShape{"AKIA", is_upper, 16},        TokenShape{"ASIA", is_upper, 16},
    TokenShape{"xoxa-", is_word, 10},        TokenShape{"xoxb-", is_word, 10},
    TokenShape{"xoxe-", is_word, 10},        TokenShape{"xoxo-", is_word, 10},
    TokenShape{"xoxp-", is_word, 10},        TokenShape{"xoxr-", is_word, 10},
    TokenShape{"xoxs-", is_word, 10},        TokenShape{"xapp-", is_word, 10},
    TokenShape{"npm_", is_alnum, 30},        TokenShape{"AIza", is_word, 30},
    TokenShape{"hf_", is_alnum, 20},         TokenShape{"pypi-", is_word, 30},
    TokenShape{"Bearer ", is_credential, 8}, TokenShape{"bearer ", is_credential, 8},
    TokenShape{"BEARER ", is_credential, 8},
};

// "GITHUB_TOKEN", "--api-key", "db.password": the last word of a name decides, so PWD and TOKENIZER pass.
bool names_a_secret(std::string_view name) {
    std::string flat = lowered(name);
    flat.erase(std::remove_if(flat.begin(), flat.end(), [](char c) { return !is_alnum(c); }), flat.end());
    constexpr std::array<std::string_view, 13> kWords{
        "password",  "passwd",      "passphrase", "secret",     "secrets",    "token",      "apikey",
        "accesskey", "accesskeyid", "secretkey",  "privatekey", "credential", "credentials"};
    return std::any_of(kWords.begin(), kWords.end(),
                       [&](std::string_view word) { return std::string_view(flat).ends_with(word); });
}

bool is_secret_header(std::string_view name) {
    const std::string flat = lowered(name);
    return flat == "authorization" || flat == "proxy-authorization" || flat == "x-api-key" || flat == "private-token" ||
           flat == "x-auth-token" || flat == "cookie";
}

// eyJ… . … . … : a JSON Web Token (RFC 7519), whose header always begins with {".
std::size_t jwt_length(std::string_view text) {
    if (!text.starts_with("eyJ")) return 0;
    const std::size_t header = run(text.substr(0, kMaxJwtHeader), is_word);
    if (header < 10 || header >= text.size() || text[header] != '.') return 0;
    const std::size_t payload = run(text.substr(header + 1), is_word);
    if (payload < 4) return 0;
    const std::size_t end = header + 1 + payload;
    if (end >= text.size() || text[end] != '.') return 0;
    return end + 1 + run(text.substr(end + 1), is_word);
}

// The length of "://user:" when a password and '@' follow it within the authority (RFC 3986, 3.2.1).
std::size_t user_length(std::string_view text, std::size_t& password) {
    if (!text.starts_with("://")) return 0;
    const std::string_view authority =
        text.substr(3, std::min(text.size() - 3, text.find_first_of("/?# \t\r\n\"'", 3) - 3));
    const std::size_t at = authority.rfind('@'), colon = authority.find(':');
    if (at == std::string_view::npos || colon == std::string_view::npos || colon >= at) return 0;
    password = at - colon - 1;
    return password == 0 ? 0 : 3 + colon + 1;
}

std::size_t private_key_length(std::string_view text) {
    if (!text.starts_with("-----BEGIN ")) return 0;
    const std::string_view line = text.substr(0, text.find("-----", 11));
    if (!line.ends_with("PRIVATE KEY")) return 0;
    const std::size_t end = text.find("-----END ");
    const std::size_t tail = end == std::string_view::npos ? end : text.find("-----", end + 9);
    return tail == std::string_view::npos ? text.size() : tail + 5;
}

// After a name, at one of kAfterName: how much stands before its value, and how long that value is; both 0 when there
// is none to hide.
struct Value {
    std::size_t lead = 0, length = 0;
};
Value value_of(std::string_view name, std::string_view rest) {
    const bool header = is_secret_header(name);
    if (!header && !names_a_secret(name)) return {};
    std::size_t lead = 0;
    const bool quoted_name = rest[0] == '"' || rest[0] == '\'';
    if (quoted_name) ++lead;
    const auto blanks = [&] {
        lead += run(rest.substr(std::min(lead, rest.size())), [](char c) { return c == ' ' || c == '\t'; });
    };
    const std::size_t before = lead;
    blanks();
    const char separator = lead < rest.size() ? rest[lead] : '\0';
    const bool colon = separator == ':' && (header || quoted_name);
    const bool equals = separator == '=' && lead == before;
    const bool flag = name.starts_with("--") && lead > before && separator != '-';
    if (!colon && !equals && !flag) return {};
    if (colon || equals) ++lead;
    if (colon) blanks();
    if (lead >= rest.size()) return {};
    const std::string_view value = rest.substr(lead);
    if (value[0] == '"' || value[0] == '\'') {
        const std::size_t end = value.find(value[0], 1);
        return {lead + 1, (end == std::string_view::npos ? value.size() : end) - 1};
    }
    if (header) return {lead, run(value, [](char c) { return c != '"' && c != '\'' && c != '\n' && c != '\r'; })};
    return {lead, run(value, is_value)};
}

// The name that ends where `rest` begins in `text`.
std::string_view name_before(std::string_view text, std::string_view rest) {
    const std::string_view before = text.substr(0, text.size() - rest.size());
    std::size_t start = before.size();
    while (start > 0 && before.size() - start < kMaxName && is_name(before[start - 1]))
        --start;
    return before.substr(start);
}

// What is to be hidden at the front of `rest`, `lead` bytes further on.
Value secret_at(std::string_view text, std::string_view rest, bool boundary) {
    if (const std::size_t length = private_key_length(rest)) return {0, length};
    std::size_t password = 0;
    if (const std::size_t user = user_length(rest, password)) return {user, password};
    if (boundary) {
        if (const std::size_t length = jwt_length(rest)) return {0, length};
        for (const TokenShape& token : kTokens) {
            if (!rest.starts_with(token.prefix)) continue;
            const std::size_t length = run(rest.substr(token.prefix.size()), token.accept);
            if (length >= token.minimum) return {token.prefix.size(), length};
        }
    }
    if (kAfterName.find(rest[0]) == std::string_view::npos) return {};
    const std::string_view name = name_before(text, rest);
    return name.empty() ? Value{} : value_of(name, rest);
}

} // namespace

std::string mask_secrets(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    bool boundary = true;
    for (std::string_view rest = text; !rest.empty();) {
        const Value secret = secret_at(text, rest, boundary);
        const std::size_t kept = secret.length != 0 ? secret.lead : 1;
        out.append(rest.substr(0, kept));
        if (secret.length != 0) out.append(kMask);
        boundary = !is_alnum(out.back());
        rest.remove_prefix(kept + secret.length);
    }
    return out;
}

} // namespace belljar
