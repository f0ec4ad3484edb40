// `belljar audit export`: a record, or the terminal's transcript, in a form that leaves this machine.
#include "app/cli/command.h"
#include "app/cli/nearest.h"
#include "app/cli/output.h"
#include "app/client/place.h"
#include "core/record/export.h"
#include "core/system/unique_fd.h"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct ExportOptions {
    std::string session, format = "jsonl", file, user;
    bool raw = false, console = false, json = false;
};

Result<ExportFormat> format_of(const std::string& name) {
    if (name == "jsonl") return ExportFormat::JsonLines;
    if (name == "csv") return ExportFormat::Csv;
    const auto close = nearest(name, {"jsonl", "csv"});
    return failure("--format " + name, "no such format",
                   close ? fmt::format("did you mean '{}'?", *close) : "jsonl and csv are known");
}

// Line by line: what looks like a secret masked, what would steer a terminal shown. The last line may lack its newline.
Status export_console(const std::string& path, bool raw, std::ostream& out) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return failure("open " + path, "there is no transcript: the session had no terminal");
    if (raw) {
        if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
        return {};
    }
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        out << visible(mask_secrets(line)) << (in.eof() ? "" : "\n");
    }
    return {};
}

Status write_export(const Place& place, const SessionRow& row, const ExportOptions& options, ExportFormat format,
                    std::ostream& out) {
    const std::string folder = place.paths.session(row.id) + "/";
    Status written;
    if (options.console) {
        written = export_console(folder + kConsoleFile, options.raw, out);
    } else {
        const auto record = RecordReader::open(folder + kRecordFile);
        if (!record) return tl::unexpected(record.error());
        written = export_record(**record, format, options.raw, out);
    }
    out.flush();
    if (written && !out)
        return failure("export " + row.id, "the output could not be written to its end", "is the disk full?");
    return written;
}

// Beside the file first, so that a failure leaves the old one; for its owner alone.
Status write_file_export(const Place& place, const SessionRow& row, const ExportOptions& options, ExportFormat format) {
    const std::string beside = fmt::format("{}.new.{}", options.file, ::getpid());
    const mode_t before = ::umask(077);
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    ::umask(before);
    if (!out) {
        auto error = system_failure("write " + options.file);
        error.value().next = "name a file in a folder that is there and yours with -o";
        return error;
    }
    Status written = write_export(place, row, options, format, out);
    out.close();
    if (written && ::rename(beside.c_str(), options.file.c_str()) != 0)
        written = system_failure("write " + options.file);
    if (!written) ::unlink(beside.c_str());
    return written;
}

Status run_export(const ExportOptions& options) {
    const auto format = format_of(options.format);
    if (!format) return tl::unexpected(format.error());
    if (Status became = become_user(options.user); !became) return became;
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    const auto row = find_session(*place, options.session);
    if (!row) return tl::unexpected(row.error());
    if (options.file.empty() || options.file == "-") return write_export(*place, *row, options, *format, std::cout);
    if (Status written = write_file_export(*place, *row, options, *format); !written) return written;
    if (options.json)
        print_json({{"id", row->id}, {"file", options.file}, {"format", options.console ? "console" : options.format}});
    return {};
}

} // namespace

Action declare_audit_export(Options& options) {
    auto chosen = std::make_shared<ExportOptions>();
    options.positional("ID", chosen->session, ValueKind::Session, "A session, by id, unique prefix or name");
    options.value("--format", chosen->format, ValueKind::Format, "jsonl (unless given) or csv");
    options.value("-o,--output", chosen->file, ValueKind::File, "Write there, not to standard output");
    options.flag("--raw", chosen->raw, "Mask nothing");
    options.flag("--console", chosen->console, "The terminal's transcript instead of the events");
    options.flag("--json", chosen->json, "With -o: say in JSON what was written");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose session");
    return [chosen] {
        const Status done = run_export(*chosen);
        if (done) return 0;
        complain(done.error());
        return kFailed;
    };
}

} // namespace belljar::cli
