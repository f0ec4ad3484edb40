#include "core/record/event_bytes.h"

#include <chrono>
#include <fmt/format.h>

namespace belljar {

std::int64_t now_us() {
    using namespace std::chrono;
    return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::string format_time(std::int64_t since_epoch) {
    using namespace std::chrono;
    const sys_time<microseconds> time{microseconds(since_epoch)};
    const sys_days day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::optional<std::int64_t> parse_time(std::string_view text) {
    using namespace std::chrono;
    constexpr std::string_view kShape = "0000-00-00T00:00:00.000000Z";
    if (text.size() != kShape.size()) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (kShape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != kShape[i]) return std::nullopt;
    const auto number = [text](std::size_t at, std::size_t digits) {
        int value = 0;
        for (std::size_t i = at; i < at + digits; ++i)
            value = value * 10 + (text[i] - '0');
        return value;
    };
    const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                              day(static_cast<unsigned>(number(8, 2))));
    const int h = number(11, 2), m = number(14, 2), s = number(17, 2);
    if (!date.ok() || h > 23 || m > 59 || s > 59) return std::nullopt;
    const sys_time<microseconds> time =
        sys_days(date) + hours(h) + minutes(m) + seconds(s) + microseconds(number(20, 6));
    return time.time_since_epoch().count();
}

namespace {

bool is_kind(std::string_view kind) {
    return !kind.empty() && kind.size() <= 32 &&
           kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos;
}

constexpr const char* kOwnMembers[] = {"seq", "time", "kind"};

} // namespace

Result<std::string> event_bytes(std::uint64_t sequence, const NewEvent& event) {
    if (!is_kind(event.kind)) return failure("record an event", "its kind is not made of a-z and '-': " + event.kind);
    if (!event.fields.is_object()) return failure("record a " + event.kind, "its fields are no JSON object");
    for (const char* own : kOwnMembers)
        if (event.fields.contains(own))
            return failure("record a " + event.kind, fmt::format("a field is called {}", own));
    std::string fields;
    try {
        fields = event.fields.dump();
    } catch (const Json::type_error& error) { // nlohmann's only way to say that a string is not UTF-8
        return failure("record a " + event.kind, error.what());
    }
    std::string bytes = fmt::format(R"({{"seq":{},"time":"{}","kind":"{}")", sequence,
                                    format_time(event.time_us != 0 ? event.time_us : now_us()), event.kind);
    if (fields == "{}") {
        bytes += '}';
    } else {
        bytes += ',';
        bytes.append(fields, 1);
    }
    if (bytes.size() > kMaxEventBytes)
        return failure("record a " + event.kind, fmt::format("larger than {} bytes", kMaxEventBytes));
    return bytes;
}

std::optional<Json> parse_event_bytes(std::string_view bytes) {
    if (bytes.size() > kMaxEventBytes) return std::nullopt;
    // The parser does not recurse, but writing what it made does: the depth is capped while parsing.
    bool too_deep = false;
    const auto watch = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > kMaxEventDepth) too_deep = true;
        return !too_deep;
    };
    Json parsed = Json::parse(bytes, watch, false);
    if (too_deep || !parsed.is_object()) return std::nullopt;
    return parsed;
}

std::string event_fault(std::uint64_t sequence, std::string_view bytes, Json& parsed) {
    auto object = parse_event_bytes(bytes);
    if (!object) return "its bytes are no JSON object";
    parsed = std::move(*object);
    if (parsed.dump() != bytes) return "its bytes are not canonical JSON";
    if (parsed.size() < 3) return "it lacks seq, time or kind";
    auto member = parsed.begin();
    if (member.key() != "seq" || !member->is_number_unsigned() || member->get<std::uint64_t>() != sequence)
        return "its bytes carry another number";
    ++member;
    if (member.key() != "time" || !member->is_string() || !parse_time(member->get_ref<const std::string&>()))
        return "its time is not RFC 3339 in UTC with microseconds";
    ++member;
    if (member.key() != "kind" || !member->is_string() || !is_kind(member->get_ref<const std::string&>()))
        return "its kind is not made of a-z and '-'";
    return {};
}

} // namespace belljar
