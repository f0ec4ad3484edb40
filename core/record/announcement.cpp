#include "core/record/announcement.h"

#include "core/record/event_bytes.h"
#include "core/session/identity.h"
#include "core/session/spec.h"
#include "core/system/files.h"
#include "core/system/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>

namespace belljar {
namespace {

constexpr std::size_t kMostCommand = 4096;
constexpr std::size_t kMostRead = 16u << 20;

std::string file_of(const Paths& paths) {
    return paths.state + "/index.announced";
}

UniqueFd open_locked(const Paths& paths, int flags, int how) {
    UniqueFd file(::open(file_of(paths).c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600));
    while (file && ::flock(file.get(), how) != 0)
        if (errno != EINTR) file.reset();
    return file;
}

std::optional<SessionRow> row_of(std::string_view line) {
    const Json said = Json::parse(line, nullptr, false);
    if (!said.is_object()) return std::nullopt;
    const auto text = [&](const char* member) {
        const auto found = said.find(member);
        return found != said.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    SessionRow row;
    row.id = text("id");
    if (!is_session_id(row.id)) return std::nullopt;
    row.name = text("name");
    row.command = text("command");
    row.workspace = text("workspace");
    row.policy = text("policy");
    row.public_key = text("public_key");
    const auto started = said.find("started_us");
    if (started != said.end() && started->is_number_integer()) row.started_us = started->get<std::int64_t>();
    row.state = SessionState::Running;
    return row;
}

} // namespace

Result<std::size_t> announce_session(const Paths& paths, const SessionRow& row) {
    const Json said{{"id", row.id},
                    {"name", row.name},
                    {"command", bytes_to_text(row.command.substr(0, kMostCommand))},
                    {"workspace", row.workspace},
                    {"policy", row.policy},
                    {"public_key", row.public_key},
                    {"started_us", row.started_us}};
    const UniqueFd file = open_locked(paths, O_WRONLY | O_CREAT | O_APPEND, LOCK_SH);
    if (!file) return system_failure("open " + file_of(paths));
    // The line break in front ends what a writer that was killed, or a full disk, cut short.
    const std::string line = "\n" + said.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
    if (Status written = write_all(file.get(), line, file_of(paths)); !written) return tl::unexpected(written.error());
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) return system_failure("stat " + file_of(paths));
    return static_cast<std::size_t>(facts.st_size);
}

Status take_announcements(const Paths& paths, const std::function<Status(const std::vector<SessionRow>&)>& take) {
    const UniqueFd file = open_locked(paths, O_RDWR, LOCK_EX);
    if (!file) return errno == ENOENT ? Status() : system_failure("open " + file_of(paths));
    const auto bytes = read_all(file.get(), file_of(paths), kMostRead);
    if (!bytes && ::ftruncate(file.get(), 0) == 0) // or nobody would ever be heard again
        return failure("take in " + file_of(paths), bytes.error().why, "it was emptied: the records have it all");
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->empty()) return {};
    std::vector<SessionRow> rows;
    for (std::string_view rest = *bytes; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        if (auto row = row_of(line)) rows.push_back(std::move(*row));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    if (Status taken = take(rows); !taken) return taken;
    if (::ftruncate(file.get(), 0) != 0) return system_failure("empty " + file_of(paths));
    return {};
}

} // namespace belljar
