// Who reads the session's events: from the record, after a sequence number, and for those who follow also what comes. A
// slow reader costs nothing but its place: each takes up again where its connection's output has gone. Loop thread
// only.
#pragma once

#include "core/record/reader.h"
#include "core/varlink/service.h"
#include "helper/supervisor/varlink_server.h"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

namespace belljar {

class EventStreams {
public:
    // `last`: the sequence number of the record's last event; 0 as long as there is no record.
    EventStreams(std::string record_path, std::function<std::uint64_t()> last)
        : path_(std::move(record_path)), last_(std::move(last)) {}

    void add(varlink::Responder responder, std::weak_ptr<ServerConnection> connection, std::uint64_t after,
             bool follow);
    // Sends what is new and fits.
    void pump();
    // The record is sealed (or there is none): those who follow end with its last event.
    void finish();

private:
    struct Stream {
        varlink::Responder responder;
        std::weak_ptr<ServerConnection> connection;
        std::uint64_t after;
        bool follow;
    };
    bool pump(Stream& stream); // true: it has ended

    std::string path_;
    std::function<std::uint64_t()> last_;
    std::unique_ptr<RecordReader> reader_;
    std::list<Stream> streams_;
    bool finished_ = false;
};

} // namespace belljar
