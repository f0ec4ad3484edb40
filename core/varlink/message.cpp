// Messages as bytes. Everything here may come from a hostile peer, so size, depth and the number of elements are
// bounded before the JSON parser (which checks UTF-8 itself) builds anything, and members are matched against a closed
// list.
#include "core/varlink/message.h"

#include <cstring>
#include <fmt/format.h>

namespace belljar::varlink {
namespace {

// Looks at brackets and commas outside of strings only. A malformed text may be counted wrongly; the parser refuses it
// then.
Status check_shape(std::string_view text) {
    int depth = 0;
    std::size_t elements = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
            continue;
        }
        if (c == '"')
            in_string = true;
        else if (c == '{' || c == '[')
            ++depth, ++elements;
        else if (c == '}' || c == ']')
            --depth;
        else if (c == ',')
            ++elements;
        if (depth > kMaxJsonDepth)
            return failure("Varlink message", fmt::format("nested deeper than {}", kMaxJsonDepth));
        if (elements > kMaxJsonElements)
            return failure("Varlink message", fmt::format("more than {} elements", kMaxJsonElements));
    }
    return {};
}

Result<json> parse_object(std::string_view message) {
    if (message.size() > kMaxMessageBytes)
        return failure("Varlink message", fmt::format("larger than {} bytes", kMaxMessageBytes));
    if (Status shape = check_shape(message); !shape) return tl::unexpected(shape.error());
    json object = json::parse(message.begin(), message.end(), nullptr, /*allow_exceptions=*/false);
    if (object.is_discarded()) return failure("Varlink message", "not valid JSON");
    if (!object.is_object()) return failure("Varlink message", "not a JSON object");
    return object;
}

tl::unexpected<Error> bad_member(const std::string& key) {
    return failure("Varlink message", "member \"" + visible(key) + "\" is not of the protocol, or of a wrong type");
}

bool take(const json& value, bool& into) {
    if (!value.is_boolean()) return false;
    into = value.get<bool>();
    return true;
}

bool take(const json& value, std::string& into) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) return false;
    into = value.get<std::string>();
    return true;
}

// Some implementations write null where there are no parameters.
bool take_parameters(json& value, json& into) {
    if (value.is_null()) return true;
    if (!value.is_object()) return false;
    into = std::move(value);
    return true;
}

// Strings of ours may carry bytes of a session (paths, arguments): what is not UTF-8 is replaced, never thrown about.
std::string finish(const json& object) {
    std::string bytes = object.dump(-1, ' ', false, json::error_handler_t::replace);
    bytes.push_back('\0');
    return bytes;
}

} // namespace

Result<Call> parse_call(std::string_view message) {
    auto object = parse_object(message);
    if (!object) return tl::unexpected(object.error());
    Call call;
    for (auto& [key, value] : object->items()) {
        const bool good = key == "method"       ? take(value, call.method)
                          : key == "parameters" ? take_parameters(value, call.parameters)
                          : key == "oneway"     ? take(value, call.oneway)
                          : key == "more"       ? take(value, call.more)
                          : key == "upgrade"    ? take(value, call.upgrade)
                                                : false;
        if (!good) return bad_member(key);
    }
    if (call.method.empty()) return failure("Varlink call", "names no method");
    if (call.oneway && (call.more || call.upgrade)) return failure("Varlink call", "oneway excludes more and upgrade");
    return call;
}

Result<Reply> parse_reply(std::string_view message) {
    auto object = parse_object(message);
    if (!object) return tl::unexpected(object.error());
    Reply reply;
    for (auto& [key, value] : object->items()) {
        const bool good = key == "parameters"  ? take_parameters(value, reply.parameters)
                          : key == "continues" ? take(value, reply.continues)
                          : key == "error"     ? take(value, reply.error)
                                               : false;
        if (!good) return bad_member(key);
    }
    if (reply.continues && !reply.error.empty()) return failure("Varlink reply", "an error cannot continue");
    return reply;
}

std::string encode(const Call& call) {
    json object = {{"method", call.method}, {"parameters", call.parameters}};
    if (call.oneway) object["oneway"] = true;
    if (call.more) object["more"] = true;
    if (call.upgrade) object["upgrade"] = true;
    return finish(object);
}

std::string encode(const Reply& reply) {
    json object = {{"parameters", reply.parameters}};
    if (reply.continues) object["continues"] = true;
    if (!reply.error.empty()) object["error"] = reply.error;
    return finish(object);
}

Status FrameSplitter::feed(std::span<const char> bytes) {
    if (taken_ > 0) {
        buffer_.erase(0, taken_);
        scanned_ -= taken_;
        taken_ = 0;
    }
    if (bytes.size() > kMaxMessageBytes || buffer_.size() > kMaxMessageBytes - bytes.size())
        return failure("Varlink message", fmt::format("larger than {} bytes", kMaxMessageBytes));
    buffer_.append(bytes.data(), bytes.size());
    return {};
}

std::string FrameSplitter::rest() {
    std::string rest = buffer_.substr(taken_);
    buffer_.clear();
    taken_ = scanned_ = 0;
    return rest;
}

std::optional<std::string> FrameSplitter::next() {
    const std::size_t end = buffer_.find('\0', scanned_);
    if (end == std::string::npos) {
        scanned_ = buffer_.size();
        return std::nullopt;
    }
    std::string message = buffer_.substr(taken_, end - taken_);
    taken_ = scanned_ = end + 1;
    return message;
}

} // namespace belljar::varlink
