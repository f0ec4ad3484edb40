// belljar-helper: builds sandboxes for whoever is at the other end of its Varlink connection. Rootless form: a child of its
// client, on descriptor 3, with the client's own authority and an empty environment; it ends when the client lets go of it, and
// the sessions it started go on.

#include "core/session/identity.h"
#include "core/system/descriptor_passing.h"
#include "core/system/files.h"
#include "core/system/limits.h"
#include "core/varlink/service.h"
#include "interfaces.h"
#include "helper/daemon/session_starter.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

using namespace belljar;

namespace {

constexpr int kConnection = 3;

constexpr const char* kUsage =
    "belljar-helper --rootless: builds sandboxes for the client on descriptor 3 (org.belljar.Helper, Varlink).\n"
    "It is started by `belljar`; there is nothing to do with it by hand.\n";

// A program started without standard descriptors must not have its sockets taken for them.
void fill_standard_descriptors() {
    for (;;) {
        UniqueFd null(::open("/dev/null", O_RDWR));
        if (null.get() < 0 || null.get() > STDERR_FILENO) return;
        (void)null.release(); // it fills a gap, for as long as we run
    }
}

class HelperService {
public:
    HelperService() : service_({"Belljar", "belljar-helper", BELLJAR_VERSION, ""}) {
        service_.add_interface(interfaces::org_belljar_Helper);
        service_.on("org.belljar.Helper.Start", [this](const varlink::json& parameters, const varlink::Responder& answer) { start(parameters, answer); });
    }

    // Serves until the client closes; false when it broke the protocol.
    bool serve(int socket) {
        auto connection = service_.connect([socket](std::string reply) { (void)write_all(socket, reply, "the client"); });
        varlink::FrameSplitter frames;
        std::array<std::byte, 65536> buffer;
        for (;;) {
            auto received = receive_with_fds(socket, buffer);
            if (!received) return false;
            if (received->bytes == 0) return true;
            for (UniqueFd& fd : received->fds) pending_.push_back(std::move(fd));
            if (!frames.feed(std::span(reinterpret_cast<const char*>(buffer.data()), received->bytes))) return false;
            while (auto message = frames.next())
                if (!connection->handle(*message)) return false;
        }
    }

private:
    void start(const varlink::json& parameters, const varlink::Responder& answer) {
        std::vector<UniqueFd> fds = std::exchange(pending_, {});
        if (is_real_root()) {
            answer.error("org.belljar.Helper.RootRefused", {{"reason", "a session never runs as root; name a user with --user"}});
            return;
        }
        const auto spec = parse_session_spec(parameters.at("spec").dump());
        if (!spec) {
            answer.error("org.belljar.Helper.SpecRefused", {{"reason", spec.error().message()}});
            return;
        }
        const auto supervisor = start_session(*spec, std::move(fds));
        if (!supervisor) {
            const Error& error = supervisor.error();
            answer.error("org.belljar.Helper.StartFailed",
                         {{"stage", visible(error.what)}, {"reason", visible(error.why)}, {"next", visible(error.next)}});
            return;
        }
        answer.reply({{"id", spec->id}, {"supervisor_pid", *supervisor}});
    }

    varlink::Service service_;
    std::vector<UniqueFd> pending_; // came since the last request
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 2 || std::string_view(argv[1]) != "--rootless") {
        std::fputs(kUsage, argc == 2 && std::string_view(argv[1]) == "--help" ? stdout : stderr);
        return argc == 2 && std::string_view(argv[1]) == "--help" ? 0 : 125;
    }
    fill_standard_descriptors();
    for (const int number : {SIGPIPE, SIGXFSZ}) // the call fails, and says why
        ::signal(number, SIG_IGN);
    raise_open_files_limit();                 // the builder places its descriptors high (builder/descriptors.h)
    ::fcntl(kConnection, F_SETFD, FD_CLOEXEC);
    HelperService helper;
    return helper.serve(kConnection) ? 0 : 125;
}
