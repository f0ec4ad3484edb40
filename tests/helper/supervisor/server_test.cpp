// Clients of a session over its Varlink server, with a real record behind it.
#include "helper/supervisor/event_streams.h"
#include "helper/supervisor/layers.h"
#include "helper/supervisor/session_recorder.h"

#include "core/system/descriptor_passing.h"
#include "core/varlink/client.h"

#include <QTemporaryDir>
#include <QTest>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <interfaces.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

using namespace belljar;
using namespace std::chrono_literals;
using varlink::json;

namespace {

struct Bench {
    QTemporaryDir folder;
    boost::asio::io_context loop{1};
    varlink::Service service{{"Belljar", "test", "0", ""}};
    VarlinkServer server{loop, service};
    std::unique_ptr<SessionRecorder> recorder;
    EventStreams events{folder.path().toStdString() + "/record.db",
                        [this] { return recorder ? recorder->last_sequence() : 0; }};

    Bench() {
        service.add_interface(interfaces::org_belljar_Session);
        service.on("org.belljar.Session.Events", [this](const json& parameters, const varlink::Responder& responder) {
            events.add(responder, server.current(), parameters.at("after").get<std::uint64_t>(),
                       parameters.at("follow").get<bool>());
        });
        server.on_drained = [this] { events.pump(); };
        NewEvent started{.kind = "session-started", .fields = Json::object()};
        auto writer = RecordWriter::create(folder.path().toStdString(), "0123456789ab", std::move(started));
        if (!writer) throw std::runtime_error(writer.error().message());
        recorder = std::make_unique<SessionRecorder>(loop, std::move(*writer));
        recorder->on_append = [this] { events.pump(); };
    }
    varlink::Client client(std::function<void()> on_closed = nullptr) {
        auto pair = make_socketpair(SOCK_STREAM);
        server.adopt(std::move(pair->second), "a test", std::move(on_closed));
        return varlink::Client(std::move(pair->first));
    }
    // Runs `what` beside the loop.
    template <class F>
    void with_loop(F what) {
        std::thread beside([&] {
            what();
            loop.stop();
        });
        loop.restart();
        const auto guard = boost::asio::make_work_guard(loop);
        loop.run();
        beside.join();
    }
    void note(int number) {
        NewEvent event{.kind = "syscall-denied", .fields = Json::object()};
        event.fields["nr"] = number;
        recorder->note(std::move(event));
    }
};

} // namespace

class ServerTest : public QObject {
    Q_OBJECT
private slots:
    void a_client_reads_all_events_there_are() {
        Bench bench;
        for (int i = 0; i < 3000; ++i)
            bench.note(i);
        bench.loop.poll();
        varlink::Client client = bench.client();
        std::vector<std::uint64_t> seen;
        bench.with_loop([&] {
            const Status read =
                client.stream("org.belljar.Session.Events", {{"after", 0}, {"follow", false}}, [&](const json& reply) {
                    seen.push_back(reply.at("event").at("seq").get<std::uint64_t>());
                    return true;
                });
            if (!read) seen.clear();
        });
        QCOMPARE(seen.size(), 3001u);
        for (std::size_t i = 0; i < seen.size(); ++i)
            QCOMPARE(seen[i], i + 1);
    }

    void a_follower_sees_what_comes_and_ends_with_the_session() {
        Bench bench;
        varlink::Client client = bench.client();
        std::vector<std::string> kinds;
        bool ended = false;
        boost::asio::steady_timer later(bench.loop, 50ms);
        later.async_wait([&](const boost::system::error_code&) {
            bench.note(1);
            boost::asio::post(bench.loop, [&] {
                (void)bench.recorder->seal(NewEvent{.kind = "session-ended", .fields = Json::object()});
                bench.events.finish();
            });
        });
        bench.with_loop([&] {
            ended = client
                        .stream("org.belljar.Session.Events", {{"after", 1}, {"follow", true}},
                                [&](const json& reply) {
                                    kinds.push_back(reply.at("event").at("kind").get<std::string>());
                                    return true;
                                })
                        .has_value();
        });
        QVERIFY(ended);
        QCOMPARE(kinds, (std::vector<std::string>{"syscall-denied", "session-ended"}));
    }

    void a_follower_that_does_not_read_costs_no_memory_and_misses_nothing() {
        Bench bench;
        varlink::Client client = bench.client();
        QVERIFY(client.send("org.belljar.Session.Events", {{"after", 0}, {"follow", true}}, {}, true));
        for (int round = 0; round < 60; ++round) {
            for (int i = 0; i < 500; ++i)
                bench.note(i);
            bench.loop.restart();
            bench.loop.poll();
        }
        QVERIFY(!bench.server.flushed());
        (void)bench.recorder->seal(NewEvent{.kind = "session-ended", .fields = Json::object()});
        bench.events.finish();
        std::uint64_t last = 0;
        bool in_order = true, ended = false;
        bench.with_loop([&] {
            while (!ended) {
                const auto reply = client.receive_some();
                if (!reply) break;
                if (!*reply) continue;
                const auto seq = (*reply)->parameters.at("event").at("seq").get<std::uint64_t>();
                in_order = in_order && seq == last + 1;
                last = seq;
                ended = !(*reply)->continues;
            }
        });
        QVERIFY(in_order && ended);
        QCOMPARE(last, std::uint64_t{60 * 500 + 2});
    }

    void a_peer_that_breaks_the_protocol_is_dropped() {
        Bench bench;
        bool closed = false;
        varlink::Client client = bench.client([&] { closed = true; });
        const std::string nonsense("not json\0", 9);
        QCOMPARE(::send(client.fd(), nonsense.data(), nonsense.size(), MSG_NOSIGNAL), ssize_t(nonsense.size()));
        bench.loop.restart();
        bench.loop.run_for(20ms);
        QVERIFY(closed);
    }

    void the_end_of_the_owner_s_connection_is_noticed() {
        Bench bench;
        bool closed = false;
        {
            varlink::Client client = bench.client([&] { closed = true; });
        }
        bench.loop.restart();
        bench.loop.run_for(20ms);
        QVERIFY(closed);
    }

    void a_reported_layer_is_read_strictly() {
        const auto layers = parse_reported_layers(
            "landlock enforced ABI 7\nbroken\nx perhaps y\nmissing-one missing\n\nlast off why not");
        QCOMPARE(layers.size(), 3u);
        QCOMPARE(layers[0].detail, std::string("ABI 7"));
        QCOMPARE(layers[1].state, std::string("missing"));
        QCOMPARE(layers[2].detail, std::string("why not"));
    }

    // The test's own process stands in no sandbox: the read-back must say so.
    void what_is_not_there_is_missing() {
        std::string name;
        const auto layers = read_layers(::getpid(), true, parse_reported_layers("landlock enforced ABI 7"));
        QVERIFY(first_missing(layers, {}, name));
        for (const Layer& layer : layers) {
            if (layer.name == "landlock")
                QCOMPARE(layer.source, std::string("init"));
            else if (layer.name.ends_with("-namespace"))
                QCOMPARE(layer.state, std::string("missing"));
        }
        std::vector<Layer> good;
        for (const char* each : {"user-namespace", "mount-namespace", "pid-namespace", "network-namespace",
                                 "ipc-namespace", "uts-namespace", "capabilities", "no-new-privs", "filter"})
            good.push_back(Layer{each, "enforced", "", ""});
        QVERIFY(!first_missing(good, {}, name));
        QVERIFY(first_missing(good, {"landlock"}, name));
        QCOMPARE(name, std::string("landlock"));
    }
};

QTEST_GUILESS_MAIN(ServerTest)
#include "server_test.moc"
