#include "core/egress/connect_reply.h"
#include "fuzz.h"

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ConnectReply reply;
    const auto all = fuzz::span_of(bytes, size);
    if (read_connect_reply(all, reply) != ConnectReplyState::Complete) return 0;
    fuzz::require(reply.length <= size && reply.length >= 4, "the head lies in what came");
    fuzz::require(fuzz::text_of(bytes, size).substr(reply.length - 4, 4) == "\r\n\r\n", "the head ends with an empty line");
    ConnectReply again;
    fuzz::require(read_connect_reply(all.first(reply.length), again) == ConnectReplyState::Complete &&
                      again.status == reply.status && again.length == reply.length,
                  "what follows the head does not matter");
    if (reply.length > 1)
        fuzz::require(read_connect_reply(all.first(reply.length - 1), again) == ConnectReplyState::More,
                      "a byte less is not enough");
    return 0;
}
