#include "core/session/identity.h"

#include "core/system/descriptor_passing.h"
#include "core/system/files.h"

#include <charconv>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace belljar {

std::string new_session_id() {
    unsigned char bytes[6];
    if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        throw std::system_error(errno, std::generic_category(), "getrandom");
    std::string id;
    for (unsigned char byte : bytes)
        id += fmt::format("{:02x}", byte);
    return id;
}

bool is_session_id(std::string_view text) {
    return text.size() == 12 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Status check_session_name(std::string_view name) {
    const char* why = nullptr;
    if (name.empty())
        why = "it is empty";
    else if (name.size() > 64)
        why = "it is longer than 64 bytes";
    else if (name[0] == '-')
        why = "it starts with '-'";
    else if (name.find('/') != std::string_view::npos)
        why = "it contains '/'";
    else if (visible(name) != name)
        why = "it contains control characters or is not UTF-8";
    if (why == nullptr) return {};
    return failure("session name '" + std::string(name.substr(0, 64)) + "'", why,
                   "up to 64 bytes of text without '/' will do");
}

namespace {

std::optional<Account> parse_passwd_line(std::string_view line) {
    std::vector<std::string_view> fields;
    for (std::size_t start = 0; start <= line.size();) {
        const std::size_t colon = std::min(line.find(':', start), line.size());
        fields.push_back(line.substr(start, colon - start));
        start = colon + 1;
    }
    if (fields.size() != 7) return std::nullopt;
    const auto number = [](std::string_view text) -> std::optional<unsigned> {
        unsigned value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return value;
    };
    const auto uid = number(fields[2]), gid = number(fields[3]);
    if (!uid || !gid) return std::nullopt;
    return Account{std::string(fields[0]), std::string(fields[5]), std::string(fields[6]), *uid, *gid};
}

template <class Match>
std::optional<Account> find_in(std::string_view passwd, Match match) {
    while (!passwd.empty()) {
        const std::size_t end = std::min(passwd.find('\n'), passwd.size());
        if (auto account = parse_passwd_line(passwd.substr(0, end)); account && match(*account)) return account;
        passwd.remove_prefix(std::min(end + 1, passwd.size()));
    }
    return std::nullopt;
}

std::string ask_getent(std::string key) {
    auto pipe = make_pipe();
    if (!pipe) return {};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe->second.get(), STDOUT_FILENO);
    std::string program = "getent", database = "passwd", separator = "--";
    char* argv[] = {program.data(), separator.data(), database.data(), key.data(), nullptr};
    pid_t child = -1;
    const int spawned = ::posix_spawnp(&child, "getent", &actions, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    pipe->second.reset();
    if (spawned != 0) return {};
    auto output = read_all(pipe->first.get(), "getent", 1u << 16);
    ::waitpid(child, nullptr, 0);
    return output ? *output : std::string();
}

template <class Match>
Result<Account> find_account_by(const std::string& key, Match match) {
    const auto passwd = read_file("/etc/passwd", 16u << 20);
    if (passwd)
        if (auto account = find_in(*passwd, match)) return *account;
    if (auto account = find_in(ask_getent(key), match)) return *account;
    return failure("user " + key, "no such user", "`getent passwd` lists the users of this machine");
}

} // namespace

Result<Account> find_account(uid_t uid) {
    return find_account_by(std::to_string(uid), [uid](const Account& account) { return account.uid == uid; });
}

Result<Account> find_account(std::string_view name) {
    return find_account_by(std::string(name), [name](const Account& account) { return account.name == name; });
}

bool is_real_root() {
    if (::geteuid() != 0) return false;
    const auto map = read_file("/proc/self/uid_map", 4096);
    if (!map) return true; // cannot tell: take the careful answer
    unsigned long inside = 1, outside = 1, count = 0;
    return std::sscanf(map->c_str(), "%lu %lu %lu", &inside, &outside, &count) == 3 && inside == 0 && outside == 0;
}

} // namespace belljar
