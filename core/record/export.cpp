// JSON Lines: each event as it is stored, one a line. CSV (RFC 4180): a column for each thing one would filter by, and
// the whole event in the last one, so that nothing is lost.
#include "core/record/export.h"

#include <array>
#include <fmt/format.h>
#include <ostream>

namespace belljar {
namespace {

bool names_a_flag_with_a_secret(const std::string& argument) {
    // Whatever mask_secrets would hide after this flag in one line, it hides in the next argument as well.
    return argument.starts_with("--") && mask_secrets(argument + " x") == argument + " ***";
}

// Masks every text in a value. In a list (argv) the value of a flag stands in the element after it.
Json masked(const Json& value) {
    if (value.is_string()) return mask_secrets(value.get_ref<const std::string&>());
    if (!value.is_structured()) return value;
    Json out = value.is_array() ? Json::array() : Json::object();
    const Json* before = nullptr;
    for (const auto& [name, item] : value.items()) {
        if (value.is_object()) {
            out[name] = masked(item);
            continue;
        }
        const std::string flag = before != nullptr && before->is_string() ? before->get<std::string>() : std::string();
        const bool hidden = item.is_string() && names_a_flag_with_a_secret(flag) &&
                            !item.get_ref<const std::string&>().starts_with("-");
        const bool user = item.is_string() && (flag == "-u" || flag == "--user");
        if (hidden)
            out.push_back("***");
        else if (user)
            out.push_back(item.get<std::string>().substr(0, item.get<std::string>().find(':')) +
                          (item.get<std::string>().find(':') == std::string::npos ? "" : ":***"));
        else
            out.push_back(masked(item));
        before = &item;
    }
    return out;
}

// JSON escapes the C0 controls; DEL, the C1 controls and what redirects or hides text are escaped here (U+0080…U+009F,
// U+200B…U+200F, U+2028…U+202E, U+2060…U+206F). They only ever stand inside strings, so the value stays the same.
std::string without_controls(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
        const auto byte = [&](std::size_t at) { return at < json.size() ? static_cast<unsigned char>(json[at]) : 0u; };
        const unsigned first = byte(i), second = byte(i + 1), third = byte(i + 2);
        const bool c1 = first == 0xC2 && second >= 0x80 && second < 0xA0;
        const bool hiding =
            first == 0xE2 &&
            ((second == 0x80 && ((third >= 0x8B && third <= 0x8F) || (third >= 0xA8 && third <= 0xAE))) ||
             (second == 0x81 && third >= 0xA0 && third <= 0xAF));
        if (first == 0x7F) {
            out += "\\u007f";
        } else if (c1) {
            out += fmt::format("\\u{:04x}", second);
            ++i;
        } else if (hiding) {
            out += fmt::format("\\u{:04x}", 0x2000 | ((second & 0x3F) << 6) | (third & 0x3F));
            i += 2;
        } else {
            out += json[i];
        }
    }
    return out;
}

constexpr std::array kColumns{"seq",  "time", "kind", "verdict", "host",    "name",  "ip",    "port", "proto",
                              "conn", "pid",  "exe",  "argv",    "syscall", "errno", "count", "rule", "reason"};

// Quoted always; a cell that a spreadsheet would run as a formula gets an apostrophe in front.
std::string cell(const std::string& value) {
    std::string out = "\"";
    if (!value.empty() && std::string_view("=+-@\t\r").find(value[0]) != std::string_view::npos) out += '\'';
    for (const char c : value)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string csv_line(const Json& event) {
    std::string line;
    for (const char* column : kColumns) {
        const auto found = event.find(column);
        std::string value;
        if (found != event.end() && !found->is_null())
            value =
                found->is_string() ? visible(found->get_ref<const std::string&>()) : without_controls(found->dump());
        line += (found != event.end() && found->is_number() ? value : cell(value)) + ",";
    }
    return line + cell(without_controls(event.dump())) + "\r\n";
}

} // namespace

Status export_record(const RecordReader& record, ExportFormat format, bool raw, std::ostream& out) {
    if (format == ExportFormat::Csv) {
        for (const char* column : kColumns)
            out << column << ',';
        out << "event\r\n";
    }
    const Status read = record.for_each(0, [&](const StoredEvent& stored) {
        switch (format) {
        case ExportFormat::JsonLines:
            out << without_controls(raw ? stored.bytes : masked(stored.parsed()).dump()) << '\n';
            break;
        case ExportFormat::Csv:
            out << csv_line(raw ? stored.parsed() : masked(stored.parsed()));
            break;
        }
        return static_cast<bool>(out);
    });
    if (!read) return read;
    if (!out) return failure("export the record", "the output cannot be written");
    return {};
}

} // namespace belljar
