// From Built to the command's first instruction: what must stand, in which order. Nothing runs inside before
// session-started is committed and the door serves.
#include "helper/supervisor/session.h"

#include "core/session/paths.h"
#include "helper/supervisor/event_fields.h"

#include <algorithm>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <system_error>

namespace belljar {
namespace {

Error unexpected_message(const char* what) {
    return Error{"take what init says", what, {}, 0};
}

UniqueFd duplicate(int fd) {
    return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

std::optional<std::uint16_t> bound_port(int fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return std::nullopt;
    const auto endpoint = Endpoint::from(reinterpret_cast<const sockaddr*>(&address), length);
    return endpoint ? std::optional(endpoint->port) : std::nullopt;
}

Error split_failure(const link::Message& message, std::string& stage) {
    Error error{"start the session", {}, {}, message.value};
    const std::size_t first = message.text.find('\n'),
                      second = message.text.find('\n', first == std::string::npos ? first : first + 1);
    stage = visible(message.text.substr(0, first));
    if (first == std::string::npos) return error;
    error.why = visible(message.text.substr(first + 1, second == std::string::npos ? second : second - first - 1));
    if (second != std::string::npos) error.next = visible(message.text.substr(second + 1));
    return error;
}

} // namespace

void Session::received(link::Message message) {
    using link::Type;
    if (stage_ == Stage::Ended) return;
    const bool starting = stage_ == Stage::Starting;
    switch (message.type) {
    case Type::Built:
        return starting && !built_ ? built(std::move(message)) : fail("link", unexpected_message("Built twice"));
    case Type::Layers:
        if (!starting || reported_there_) return fail("link", unexpected_message("Layers twice"));
        reported_there_ = true;
        reported_ = parse_reported_layers(message.text);
        return begin();
    case Type::Listener:
        return take_listener(std::move(message));
    case Type::Started:
        return started(message.value);
    case Type::ExecFailed:
        return end(message.value == ENOENT ? 127 : 126, "cannot execute " + bytes_to_text(message.text) + ": " +
                                                            std::generic_category().message(message.value));
    case Type::Exited:
        return command_ended(message.value, message.request);
    case Type::ConnectDone:
        if (broker_ && broker_->connect_done(message.request, message.value)) return;
        return fail("link", unexpected_message("the answer to a connect that was not asked for"));
    case Type::PairMade:
        if (pairs_ && pairs_->made(message.request, std::move(message.fds))) return;
        return fail("link", unexpected_message("a pair that was not asked for"));
    case Type::Failed: {
        std::string stage;
        const Error error = split_failure(message, stage);
        return fail(stage, error);
    }
    case Type::Go:
    case Type::SignalCommand:
    case Type::ConnectUnix:
    case Type::MakePair:
        return fail("link", unexpected_message("a message that only the supervisor sends"));
    }
}

void Session::built(link::Message message) {
    if (message.text.size() != 3 * message.fds.size())
        return fail("link", unexpected_message("descriptors without a role"));
    for (std::size_t i = 0; i < message.fds.size(); ++i) {
        const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(message.text[3 * i + at]); };
        const auto role = static_cast<link::Role>(byte(0));
        Door::Socket socket{role, static_cast<std::uint16_t>(byte(1) << 8 | byte(2)), std::move(message.fds[i])};
        switch (role) {
        case link::Role::DoorTcp4:
        case link::Role::DoorTcp6:
        case link::Role::HostService4:
        case link::Role::HostService6:
            room_.add(role, socket.port, duplicate(socket.fd.get()));
            [[fallthrough]];
        case link::Role::DoorUdp4:
        case link::Role::DoorUdp6:
            door_sockets_.push_back(std::move(socket));
            continue;
        case link::Role::DnsUdp4:
        case link::Role::DnsUdp6:
        case link::Role::DnsTcp4:
        case link::Role::DnsTcp6:
            dns_sockets_.push_back(std::move(socket));
            continue;
        case link::Role::SockDiag:
            sock_diag_ = std::move(socket.fd);
            continue;
        case link::Role::PtyMaster:
            pty_ = std::move(socket.fd);
            continue;
        }
        return fail("link", unexpected_message("a descriptor of an unknown role"));
    }
    built_ = true;
    begin();
}

Status Session::ask_init(std::uint32_t request, std::string_view abstract_name, std::span<const int> fds) {
    return inside_.send(link::Type::ConnectUnix, request, 0, abstract_name, fds);
}

// What needs only the spec, while the builder is still at work.
void Session::prepare() {
    if (stage_ != Stage::Starting) return;
    auto record = RecordWriter::prepare(inputs_.state_folder, spec_.id);
    if (!record) return fail("record", record.error());
    record_ = std::move(*record);
    auto judge = Judge::make(spec_);
    if (!judge) return fail("door", judge.error());
    judge_ = std::move(*judge);
    outside_ = Outside::make(loop_, std::move(inputs_.resolver), judge_->policy(), spec_.proxy);
}

// What the kernel says of init, which has the command's namespaces and privileges already.
Result<std::vector<Layer>> Session::check_layers() {
    auto layers = read_layers(*init_, false, reported_);
    std::string name;
    if (const Layer* missing = first_missing(layers, spec_.require, name))
        return failure("the layer \"" + name + "\"", "it is " + missing->state + " (" + missing->detail + ")",
                       "`belljar doctor` says what this machine lacks");
    return layers;
}

Status Session::open_record(const std::vector<Layer>& layers) {
    NewEvent started{.kind = "session-started", .fields = Json::object(), .time_us = now_us()};
    Json& fields = started.fields;
    fields["id"] = spec_.id;
    fields["name"] = spec_.name;
    fields["argv"] = capped_arguments(spec_.argv);
    fields["workspace"] = bytes_to_text(spec_.workspace);
    fields["policy"] = {{"name", spec_.policy_name}, {"sha256", spec_.policy_sha256}};
    fields["layers"] = to_json(layers);
    fields["helper"] = std::string("rootless ") + BELLJAR_VERSION;
    fields["user"] = spec_.user;
    fields["uid"] = spec_.uid;
    fields["detached"] = spec_.detached;
    if (!spec_.kept_home.empty()) fields["home"] = spec_.kept_home.substr(spec_.kept_home.rfind('/') + 1);
    if (spec_.proxy) fields["proxy"] = spec_.proxy->place();
    if (Status begun = record_->begin(std::move(started)); !begun) return begun;
    recorder_ = std::make_unique<SessionRecorder>(loop_, std::move(record_));
    recorder_->on_append = [this] { events_.pump(); };
    recorder_->on_failure = [this](const Error& error) {
        record_error_ = error.message();
        if (terminal_)
            terminal_->say("the record cannot be written, so no connection is allowed any more: " + record_error_);
    };
    return {};
}

Status Session::open_door() {
    if (!sock_diag_) return failure("open the door", "the sock_diag socket is missing");
    sockets_.emplace(std::move(sock_diag_));
    sockets_->learn_private_mounts(*init_, spec_.home);
    if (inputs_.home_lock) sockets_->learn_shared_home(*init_, spec_.home, std::move(inputs_.home_lock));
    for (const Door::Socket& socket : door_sockets_)
        if (socket.role != link::Role::HostService4 && socket.role != link::Role::HostService6)
            if (const auto port = bound_port(socket.fd.get())) judge_->close_port(*port);
    door_ = Door::make(loop_, std::move(door_sockets_), *judge_, *outside_, *recorder_);
    dns_ = DnsAnswerer::make(loop_, std::move(dns_sockets_), *judge_, *recorder_, dns_callers_);
    const bool may_be_nested =
        spec_.syscalls.profile != "strict" && std::ranges::find(spec_.require, "landlock") == spec_.require.end();
    denied_calls_.emplace(processes_, *recorder_, spec_.syscalls.nested, may_be_nested);
    threads_.emplace(loop_);
    return {};
}

Status Session::open_terminal() {
    if (!spec_.terminal.any()) return {};
    if (!pty_) return failure("open the terminal", "its master is missing");
    UniqueFd log(::open((inputs_.state_folder + "/" + kConsoleFile).c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!log) return system_failure("open console.log");
    terminal_ = std::make_unique<Terminal>(loop_, std::move(pty_), std::move(inputs_.terminal), std::move(log),
                                           TerminalSize{spec_.terminal.rows, spec_.terminal.columns});
    terminal_->start();
    return {};
}

void Session::begin() {
    if (!built_ || !reported_there_) return;
    if (!record_ || !outside_) return fail("start", unexpected_message("its layers before there was a record"));
    init_ = only_child();
    if (!init_)
        return fail("init", Error{"find the session's init", "it has ended, or is not this process's child", {}, 0});
    const auto layers = check_layers();
    if (!layers) return fail("layers", layers.error());
    if (Status done = open_record(*layers); !done) return fail("record", done.error());
    if (Status done = open_door(); !done) return fail("door", done.error());
    if (Status done = open_terminal(); !done) return fail("terminal", done.error());
    if (Status done = inside_.send(link::Type::Go, 0, 0); !done) return fail("link", done.error());
    for (const auto& responder : std::exchange(describing_, {}))
        describe(responder);
    events_.pump();
}

void Session::take_listener(link::Message message) {
    if (stage_ != Stage::Starting || !threads_ || notifications_ || message.fds.size() != 1)
        return fail("filter", unexpected_message("a listener out of turn"));
    auto made = Notifications::make(loop_, std::move(message.fds.front()), [this](const NotifiedCall& call) {
        if (call.number == SYS_connect)
            broker_->connect(call);
        else if (DatagramPairs::is_one(call))
            pairs_->make(call);
        else
            notifications_->answer(call.id, denied_calls_->deny(call));
    });
    if (!made) return fail("filter", made.error());
    notifications_ = std::move(*made);
    pairs_ = std::make_unique<DatagramPairs>(
        *notifications_, [this](std::uint32_t request) { return inside_.send(link::Type::MakePair, request, 0); });
    broker_ = std::make_unique<ConnectBroker>(
        BrokerParts{*notifications_, processes_, *denied_calls_, *recorder_, *judge_, *outside_, *door_, room_,
                    dns_callers_, *threads_},
        *sockets_, [this](std::uint32_t request, std::string_view name, std::span<const int> fds) {
            return ask_init(request, name, fds);
        });
}

void Session::started(pid_t inner) {
    if (stage_ != Stage::Starting || !notifications_)
        return fail("filter", Error{"start the command", "it runs without its filter", {}, 0});
    command_inner_ = inner;
    command_ = child_known_as(*init_, inner); // gone already when the command was short
    if (command_) {
        const auto layers = read_command_layers(*command_, *init_, spec_.syscalls.nested, reported_);
        std::string name;
        const Layer* missing = first_missing(layers, spec_.require, name);
        if (missing && runs(*command_)) // else it ended while it was looked at
            return fail(
                "layers",
                Error{"the layer \"" + name + "\"", "the command runs without it (" + missing->detail + ")", {}, 0});
    }
    stage_ = Stage::Running;
    deadline_.cancel();
    sample();
    if (!spec_.limits.duration_seconds) return;
    deadline_.expires_after(std::chrono::seconds(*spec_.limits.duration_seconds));
    deadline_.async_wait([this](const boost::system::error_code& error) {
        if (!error) stop(kStopGrace, 128 + SIGTERM, "its time limit was reached", {SIGHUP, SIGTERM});
    });
}

} // namespace belljar
