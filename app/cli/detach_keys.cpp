#include "app/cli/detach_keys.h"

#include <algorithm>
#include <cstdlib>

namespace belljar::cli {
namespace {

constexpr std::size_t kMostKeys = 8;

std::optional<char> key_named(std::string_view name) {
    if (name.size() == 1 && name[0] > 0x20 && name[0] < 0x7F) return name[0];
    if (name.size() != 6 || (!name.starts_with("ctrl-") && !name.starts_with("Ctrl-"))) return std::nullopt;
    const char key = name[5];
    if (key >= 'a' && key <= 'z') return static_cast<char>(key - 'a' + 1);
    if (key >= '@' && key <= '_') return static_cast<char>(key - '@'); // letters, and @ [ \ ] ^ _
    return std::nullopt;
}

} // namespace

Result<DetachKeys> DetachKeys::parse(const std::string& names) {
    DetachKeys keys;
    keys.name_ = names;
    if (names == "none") return keys;
    const auto refuse = [&](std::string why) {
        return failure("detach keys '" + names + "'", std::move(why),
                       "`ctrl-]`, `ctrl-p,ctrl-q` and `none` are such names");
    };
    for (std::size_t at = 0; at <= names.size();) {
        const std::size_t end = std::min(names.find(',', at), names.size());
        const std::string name = names.substr(at, end - at);
        const auto key = key_named(name);
        if (!key) return refuse(name.empty() ? "a key is missing" : "'" + name + "' is no key");
        keys.keys_ += *key;
        at = end + 1;
    }
    if (keys.keys_.size() > kMostKeys) return refuse("too many keys");
    return keys;
}

Result<DetachKeys> DetachKeys::choose(const std::string& option) {
    if (!option.empty()) return parse(option);
    const char* variable = std::getenv("BELLJAR_DETACH_KEYS");
    return parse(variable != nullptr && *variable != '\0' ? variable : "ctrl-]");
}

std::string DetachKeys::type(std::string_view bytes, Clock::time_point now) {
    if (keys_.empty()) return std::string(bytes);
    std::string out;
    if (held_ == keys_) { // and now something follows
        held_.clear();
        deadline_.reset();
        if (!bytes.starts_with(keys_)) {
            pressed_ = true;
            return out;
        }
        out = keys_;
        bytes.remove_prefix(keys_.size());
    }
    const std::string all = std::exchange(held_, {}) + std::string(bytes);
    // Their longest beginning that `all` ends with.
    std::size_t size = std::min(keys_.size(), all.size());
    while (size > 0 && !all.ends_with(std::string_view(keys_).substr(0, size)))
        --size;
    deadline_.reset();
    if (size == keys_.size() && all.size() >= 2 * size && all.ends_with(keys_ + keys_))
        return out + all.substr(0, all.size() - size); // twice, at once
    held_ = keys_.substr(0, size);
    if (size > 0) deadline_ = now + (size == keys_.size() ? kTwice : kNextKey);
    return out + all.substr(0, all.size() - size);
}

std::string DetachKeys::expire(Clock::time_point now) {
    if (!deadline_ || now < *deadline_) return {};
    deadline_.reset();
    pressed_ = held_.size() == keys_.size(); // it is a beginning of them
    const std::string held = std::exchange(held_, {});
    return pressed_ ? std::string() : held;
}

} // namespace belljar::cli
