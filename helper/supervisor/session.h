// The life of one session, from its spec to its seal:
//   Starting  the builder's Built and init's Layers arrive; the record is made, the door opens, Go
//   Running   the command runs: notifications, connects, terminal, clients
//   Ending    everything inside is killed; the rest of the terminal's output, the seal
//   Ended     clients still get their answers; then the program ends, and with it (pid 1) whatever could be left
// A failure at any stage ends in Ended with a SessionFailed for whoever asks: closed, and out loud. Loop thread only.
#pragma once

#include "core/session/spec.h"
#include "helper/supervisor/connect_broker.h"
#include "helper/supervisor/datagram_pairs.h"
#include "helper/supervisor/event_streams.h"
#include "helper/supervisor/inside.h"
#include "helper/supervisor/layers.h"
#include "helper/supervisor/session_recorder.h"
#include "helper/supervisor/terminal.h"
#include "helper/supervisor/varlink_server.h"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>

namespace belljar {

struct SessionInputs {
    SessionSpec spec;
    std::string state_folder;                           // where it is for this process
    UniqueFd link, resolver, listener, owner, terminal; // the last two may be empty
    UniqueFd home_lock; // of a kept home, held while this process lives
    UniqueFd lock; // of the state folder, released at the seal: unlocked and unsealed means that this process died
};

class Session {
public:
    Session(boost::asio::io_context& loop, SessionInputs inputs);
    ~Session();
    // Returns at once; the loop ends when the session has.
    void start();
    // The slow rest, when nobody waits any more.
    void finish();

private:
    static constexpr std::chrono::seconds kStopGrace{5}; // between being asked to end and being killed

    enum class Stage { Starting, Running, Ending, Ended };
    struct Failure {
        std::string stage, reason, next;
    };

    void watch_signals();

    // session_start.cpp
    void received(link::Message message);
    void built(link::Message message);
    void prepare();
    void begin();
    Result<std::vector<Layer>> check_layers();
    Status open_record(const std::vector<Layer>& layers);
    Status open_door();
    Status open_terminal();
    void take_listener(link::Message message);
    void started(pid_t inner);
    Status ask_init(std::uint32_t request, std::string_view abstract_name, std::span<const int> fds);

    // session_end.cpp
    void fail(const std::string& stage, const Error& error);
    void command_ended(int wait_status, std::uint32_t peak_kib);
    void stop(std::chrono::milliseconds grace, int status, const std::string& reason,
              std::initializer_list<int> signals);
    void link_closed(const std::string& reason);
    void owner_gone();
    void end(int status, std::string reason);
    void reap();
    void inside_is_dead();
    void drain_terminal();
    void seal();
    void answer_waiting();
    void linger();
    void leave();
    void sample();

    // session_methods.cpp
    void register_methods();
    void describe(const varlink::Responder& responder);
    void wait(const varlink::Responder& responder);
    void signal(int number);
    void cut(std::uint64_t conn, const varlink::Responder& responder);
    void attach(const varlink::json& parameters, const varlink::Responder& responder);
    void detach(int client, const varlink::Responder& responder);
    std::vector<Layer> layers_now() const;

    boost::asio::io_context& loop_;
    SessionInputs inputs_;
    const SessionSpec& spec_;
    Stage stage_ = Stage::Starting;
    std::optional<Failure> failure_;

    varlink::Service service_;
    VarlinkServer server_;
    EventStreams events_;
    std::vector<varlink::Responder> describing_, waiting_;
    bool owner_there_ = false, answered_ = false;
    bool detached_; // goes on without its owner

    // What a session is made of; in the order in which one may use the other, so that destruction runs the other way.
    Inside inside_;
    std::vector<Door::Socket> door_sockets_, dns_sockets_;
    UniqueFd sock_diag_, pty_;
    std::vector<Layer> reported_;
    bool built_ = false, reported_there_ = false;
    std::optional<pid_t> init_, command_;
    pid_t command_inner_ = 0;
    std::unique_ptr<RecordWriter> record_; // until it begins
    std::unique_ptr<SessionRecorder> recorder_;
    std::optional<Judge> judge_;
    std::unique_ptr<Outside> outside_;
    DoorRoom room_;
    std::unique_ptr<Door> door_;
    RecentDnsCallers dns_callers_;
    std::unique_ptr<DnsAnswerer> dns_;
    std::optional<SessionSockets> sockets_;
    Processes processes_;
    std::optional<DeniedCalls> denied_calls_;
    std::optional<ConnectThreads> threads_;
    std::unique_ptr<Notifications> notifications_;
    std::unique_ptr<ConnectBroker> broker_;
    std::unique_ptr<DatagramPairs> pairs_;
    std::unique_ptr<Terminal> terminal_;

    boost::asio::signal_set signals_;
    boost::asio::steady_timer deadline_, kill_timer_, sample_timer_, end_timer_;
    std::string stop_reason_, record_error_;
    int stop_status_ = 0;
    bool stopping_ = false, inside_dead_ = false, terminal_drained_ = false;
    int status_ = 0;
    std::string reason_;
    bool sealed_ = false;
    std::uint32_t peak_kib_ = 0;
    std::size_t peak_processes_ = 0;
};

} // namespace belljar
