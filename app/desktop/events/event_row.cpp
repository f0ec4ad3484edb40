// An event's members as texts and numbers. A member of another type than expected counts as absent: the file may be foreign.
#include "app/desktop/events/event_question.h"

#include "core/record/event_bytes.h"
#include "core/record/export.h"

namespace belljar {
namespace {

QString text(const Json& event, const char* member) {
    const auto found = event.find(member);
    if (found == event.end() || !found->is_string()) return {};
    return QString::fromStdString(visible(found->get_ref<const std::string&>()));
}

quint64 number(const Json& event, const char* member, quint64 otherwise = 0) {
    const auto found = event.find(member);
    return found != event.end() && found->is_number_unsigned() ? found->get<quint64>() : otherwise;
}

QString arguments(const Json& event) {
    const auto found = event.find("argv");
    if (found == event.end() || !found->is_array()) return {};
    std::string line;
    for (const Json& item : *found)
        if (item.is_string()) line += (line.empty() ? "" : " ") + visible(item.get_ref<const std::string&>());
    return QString::fromStdString(line);
}

} // namespace

EventRow event_row(const StoredEvent& stored) {
    const Json event = stored.parsed();
    EventRow row;
    row.seq = stored.seq;
    row.kind = text(event, "kind");
    if (row.kind.isEmpty()) row.kind = QStringLiteral("damaged");
    if (const auto time = event.find("time"); time != event.end() && time->is_string())
        row.timeMs = parse_time(time->get_ref<const std::string&>()).value_or(0) / 1000;
    row.process = text(event, "exe");
    row.arguments = arguments(event);
    for (const char* member : {"host", "name", "ip"})
        if (row.host.isEmpty() && row.kind != QLatin1String("session-started")) row.host = text(event, member);
    row.verdict = text(event, "verdict");
    row.rule = text(event, "rule");
    row.reason = text(event, "reason");
    row.port = static_cast<int>(std::min<quint64>(number(event, "port"), 65535));
    row.pid = static_cast<int>(std::min<quint64>(number(event, "pid"), INT32_MAX));
    row.count = number(event, "count", 1);
    row.conn = event.contains("conn") ? static_cast<qint64>(std::min<quint64>(number(event, "conn"), INT64_MAX)) : -1;
    row.open = row.kind == QLatin1String("egress") && row.verdict == QLatin1String("allowed") && row.conn >= 0;
    row.sentence = QString::fromStdString(in_words(stored));
    return row;
}

} // namespace belljar
