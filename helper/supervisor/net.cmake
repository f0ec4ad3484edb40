# The supervisor's network side: the door, the DNS answerer and the way out. No getaddrinfo, no dlopen: the program is static.
belljar_library(belljar_supervisor_net
                SOURCES judge.cpp first_bytes.cpp own_addresses.cpp resolver_client.cpp outside.cpp dial.cpp proxy_dial.cpp splice_pipe.cpp relay.cpp
                        relays.cpp pairing.cpp door.cpp door_connection.cpp udp_drop.cpp dns_replies.cpp dns_answerer.cpp
                LIBS belljar_supervisor_record belljar_egress belljar_session belljar_link belljar_system Boost::headers
                     Threads::Threads nlohmann_json::nlohmann_json fmt::fmt-header-only
                PRECOMPILE ${asio_and_json})
# GCC 12 takes asio's recycling frame allocator for a mismatch.
target_compile_options(belljar_supervisor_net PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>)
