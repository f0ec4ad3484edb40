# The supervisor's network side: the door, the DNS answerer and the way out. No getaddrinfo, no dlopen: the program is static.
find_package(Boost 1.81 REQUIRED)
belljar_library(belljar_supervisor_net
                SOURCES judge.cpp first_bytes.cpp outside.cpp dial.cpp relay.cpp splice_pipe.cpp pairing.cpp door.cpp
                        udp_drop.cpp dns_answerer.cpp dns_replies.cpp distinct_limit.cpp egress_event.cpp
                LIBS belljar_egress belljar_session belljar_link belljar_system Boost::headers Threads::Threads
                     nlohmann_json::nlohmann_json fmt::fmt-header-only)
