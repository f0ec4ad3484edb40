#include "core/record/lifecycle.h"

#include "core/record/event_bytes.h"
#include "core/record/reader.h"
#include "core/system/unique_fd.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace belljar {
namespace {


std::string text_of(const Json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t number_of(const Json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

void read_start(const Json& started, SessionRow& row) {
    if (row.name.empty()) row.name = text_of(started, "name"); // a name that was given later stands in the index only
    row.workspace = text_of(started, "workspace");
    row.public_key = text_of(started, "public_key");
    if (const auto policy = started.find("policy"); policy != started.end())
        row.policy = policy->is_object() ? text_of(*policy, "name") : text_of(started, "policy");
    std::vector<std::string> argv;
    if (const auto found = started.find("argv"); found != started.end() && found->is_array())
        for (const Json& argument : *found)
            if (argument.is_string()) argv.push_back(argument.get<std::string>());
    row.command = command_line(argv);
    row.started_us = parse_time(text_of(started, "time")).value_or(row.started_us);
}

void read_end(const Json& ended, SessionRow& row) {
    row.ended_us = parse_time(text_of(ended, "time")).value_or(0);
    row.reason = text_of(ended, "reason");
    row.status.reset();
    if (const auto status = ended.find("status"); status != ended.end() && status->is_number_integer())
        row.status = status->get<int>();
    if (const auto totals = ended.find("totals"); totals != ended.end() && totals->is_object())
        row.totals = {number_of(*totals, "allowed"), number_of(*totals, "denied"), number_of(*totals, "calls_denied"),
                      number_of(*totals, "bytes_sent"), number_of(*totals, "bytes_received")};
}

void count(const Json& event, SessionTotals& totals) {
    const std::string kind = text_of(event, "kind"), verdict = text_of(event, "verdict");
    const std::uint64_t times = event.contains("count") ? number_of(event, "count") : 1;
    if (kind == "egress" && verdict == "allowed") totals.allowed += times;
    if ((kind == "egress" || kind == "dns") && verdict == "denied") totals.denied += times;
    if (kind == "syscall-denied") totals.calls_denied += times;
    if (kind == "egress-closed") {
        totals.bytes_sent += number_of(event, "bytes_sent");
        totals.bytes_received += number_of(event, "bytes_received");
    }
}

// The session was lost: nobody wrote the totals down.
void count_all(const RecordReader& record, SessionRow& row) {
    row.totals = {};
    const Status read = record.for_each(0, [&](const StoredEvent& stored) {
        const Json event = stored.parsed();
        count(event, row.totals);
        if (const auto time = parse_time(text_of(event, "time"))) row.ended_us = *time;
        return true;
    });
    if (!read) row.reason = read.error().message();
}

void mark_lost(SessionRow& row, std::string reason) {
    row.state = SessionState::Lost;
    row.sealed = false;
    row.reason = std::move(reason);
}

bool exists(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0;
}

} // namespace

bool session_is_alive(const Paths& paths, const std::string& id) {
    const UniqueFd lock(
        ::open((paths.session(id) + "/" + kLockFile).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    // A shared lock, for the moment that this descriptor lives: it only fails against the supervisor's exclusive one.
    return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void refresh_from_folder(const Paths& paths, SessionRow& row) {
    // The lock is looked at before the record: the other way round, a session that ends in between would look lost.
    const bool alive = session_is_alive(paths, row.id);
    const std::string path = paths.session(row.id) + "/" + kRecordFile;
    const auto record = RecordReader::open(path);
    if (!record || (*record)->last_sequence() == 0) {
        if (alive || (now_us() - row.started_us < kStartingMicroseconds && !exists(path))) {
            row.state = SessionState::Starting;
            return;
        }
        return mark_lost(row, record ? "its record holds no events" : record.error().message());
    }
    Json first, last;
    const std::uint64_t sequence = (*record)->last_sequence();
    const auto keep = [](Json& into) {
        return [&into](const StoredEvent& event) {
            into = event.parsed();
            return false;
        };
    };
    if (const Status read = (*record)->for_each(0, keep(first)); !read) return mark_lost(row, read.error().message());
    if (const Status read = (*record)->for_each(sequence - 1, keep(last)); !read)
        return mark_lost(row, read.error().message());
    read_start(first, row);
    row.sealed = (*record)->seal().has_value();
    if (row.sealed) {
        row.state = SessionState::Ended;
        return read_end(last, row);
    }
    if (alive) {
        row.state = SessionState::Running;
        return;
    }
    mark_lost(row, "its supervisor died; the record ends there, unsealed");
    count_all(**record, row);
}

bool is_settled(const SessionRow& row) {
    return row.state == SessionState::Ended || row.state == SessionState::Lost;
}

std::string command_line(const std::vector<std::string>& argv) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    std::string line;
    for (const std::string& argument : argv) {
        if (!line.empty()) line += ' ';
        if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument)
            line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += '\'';
    }
    return line;
}

} // namespace belljar
