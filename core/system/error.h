// What a caller must look at travels as Result<T>; what it cannot go on from is thrown as std::system_error or
// std::logic_error. Every Error says, in one line, what failed, why, and (where something helps) what to do next.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace belljar {

struct Error {
    std::string what;  // the operation, with its argument: "open /etc/x"
    std::string why;   // the reason: "Permission denied", or a sentence
    std::string next;  // what the reader can do; may be empty
    int errno_value = 0;

    // "what: why; next" on one line, control characters made visible.
    std::string message() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> failure(std::string what, std::string why, std::string next = {}) {
    return tl::unexpected<Error>(Error{std::move(what), std::move(why), std::move(next), 0});
}
// The failure of a system call; reads errno (or takes it) and puts its text into `why`.
tl::unexpected<Error> system_failure(std::string what, int errno_value);
tl::unexpected<Error> system_failure(std::string what);

// The text with every control character, and every byte that is not valid UTF-8, shown as \xNN: what is safe to print
// on a terminal or put in one line of a log. Nothing hostile reaches a terminal without passing here.
std::string visible(std::string_view text);

} // namespace belljar
