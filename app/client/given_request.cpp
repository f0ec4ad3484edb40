#include "app/client/given_request.h"

#include "core/session/spec.h"
#include "core/system/files.h"

#include <nlohmann/json.hpp>

namespace belljar {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr std::size_t kMaxBytes = 8u << 20;

} // namespace

Status keep_request(const std::string& state_folder, const GivenRequest& request) {
    json words = json::array();
    for (const std::string& word : request.words)
        words.push_back(bytes_to_text(word));
    const json out{{"version", kFormat}, {"directory", bytes_to_text(request.directory)}, {"words", std::move(words)}};
    return write_file(state_folder + "/" + kRequestFile, out.dump(2), 0600);
}

Result<GivenRequest> kept_request(const std::string& state_folder) {
    const auto text = read_file(state_folder + "/" + kRequestFile, kMaxBytes);
    if (!text) return tl::unexpected(text.error());
    const json in = json::parse(*text, nullptr, false);
    const auto damaged = [&] { return failure("read " + state_folder + "/" + kRequestFile, "it is not as it was written"); };
    if (!in.is_object() || !in.contains("version") || in["version"] != kFormat || !in.contains("directory") ||
        !in["directory"].is_string() || !in.contains("words") || !in["words"].is_array())
        return damaged();
    GivenRequest request;
    request.directory = text_to_bytes(in["directory"].get<std::string>());
    for (const json& word : in["words"]) {
        if (!word.is_string()) return damaged();
        request.words.push_back(text_to_bytes(word.get<std::string>()));
    }
    return request;
}

} // namespace belljar
