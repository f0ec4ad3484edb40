// What a session was asked for, kept beside its spec (request.json), so that `restart` can ask for the same again: the
// words of the command line and the folder in which they were said. Not the spec, which is what a policy of that day
// made of them; and not the environment, whose values are nobody's to keep.
#pragma once

#include "core/system/error.h"

#include <string>
#include <vector>

namespace belljar {

struct GivenRequest {
    std::string directory;
    std::vector<std::string> words; // behind `belljar run`
};

inline constexpr const char* kRequestFile = "request.json";

Status keep_request(const std::string& state_folder, const GivenRequest& request);
Result<GivenRequest> kept_request(const std::string& state_folder);

} // namespace belljar
