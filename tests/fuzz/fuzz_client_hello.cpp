#include "core/egress/client_hello.h"
#include "fuzz.h"

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto reader = fuzz::read_both_ways<ClientHelloReader>(fuzz::span_of(bytes, size));
    if (reader.state() != ClientHelloReader::State::Complete || !reader.hello().server_name) return 0;
    const std::string& name = *reader.hello().server_name;
    fuzz::require(!name.empty() && name.size() < size, "a server name was in the bytes");
    return 0;
}
