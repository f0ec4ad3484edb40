// What is enforced around the session, read back from the kernel at the moment of asking, each fact with where it was
// read. What cannot be read back (Landlock has no read-back) is what init reported, and labelled so.
#pragma once

#include "core/record/writer.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace belljar {

struct Layer {
    std::string name;
    std::string state; // enforced | missing | off
    std::string detail, source;
};

// Init's report: lines "name state detail". A line of another shape is dropped (a layer that is not reported is not
// there).
std::vector<Layer> parse_reported_layers(std::string_view text);
// `process`: one of the session's (init, or the command), as this process numbers it. `filtered`: whether it is one
// that the filter must hold (init itself has none).
std::vector<Layer> read_layers(pid_t process, bool filtered, const std::vector<Layer>& reported);
// Of a command that `nested` allows to be root of a user namespace of its own: while it is in another than init, its
// capabilities are not over anything of the session's, and init's stand for what it began with.
std::vector<Layer> read_command_layers(pid_t command, pid_t init, bool nested, const std::vector<Layer>& reported);
// The first layer that must hold and does not: the basic ones, and those of `required`. nullptr: all hold.
const Layer* first_missing(const std::vector<Layer>& layers, const std::vector<std::string>& required,
                           std::string& name);
Json to_json(const std::vector<Layer>& layers);

} // namespace belljar
