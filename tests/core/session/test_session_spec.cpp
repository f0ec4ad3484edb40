// The spec on the wire: what is written is read back, and nothing odd passes.
#include "core/session/spec.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace belljar;
using json = nlohmann::json;

namespace {

SessionSpec full_spec() {
    SessionSpec spec;
    spec.id = "0123456789ab";
    spec.name = "fix the parser";
    spec.argv = {"bash", "-c", "echo \xff\xfe caf\xc3\xa9", ""};
    spec.environment = {"PATH=/usr/bin", "EMPTY=", "TERM=xterm=256"};
    spec.workspace = "/home/u/w\xe9rk";
    spec.workspace_writable = false;
    spec.working_directory = spec.workspace + "/sub";
    spec.user = "u";
    spec.uid = 1000;
    spec.gid = 4294967294u;
    spec.home = "/home/u";
    spec.policy_name = "default";
    spec.policy_sha256 = std::string(64, 'a');
    spec.require = {"landlock"};
    spec.system = {"/usr", "/"};
    spec.mounts = {{"/opt/tool", MountMode::Read}, {"/data", MountMode::Write}, {"/home/u/w/.env", MountMode::Hide}};
    spec.egress = {{"default", "deny", {"example.net"}, {"gist.example.net"}, {"git.corp.example"}},
                   {"p.toml", "ask", {}, {}, {}}};
    spec.proxy = ProxySpec{"proxy.example", 3128, "Basic eDp5", {"*.corp.example", "10.0.0.0/8"}};
    spec.syscalls = {"strict", {"ptrace"}, {"bpf"}};
    spec.limits.memory_bytes = 1ull << 40;
    spec.limits.cpus = 1.5;
    spec.limits.duration_seconds = 0;
    spec.terminal = {StreamKind::Terminal, StreamKind::Pipe, StreamKind::Null, 50, 200};
    spec.detached = true;
    spec.state_folder = "/s/sessions/0123456789ab";
    spec.runtime_folder = "/r/0123456789ab";
    return spec;
}

json wire() {
    return json::parse(to_json(full_spec()));
}

} // namespace

class TestSessionSpec : public QObject {
    Q_OBJECT

private slots:
    void what_is_written_is_read_back() {
        const SessionSpec spec = full_spec();
        const auto read = parse_session_spec(to_json(spec));
        QVERIFY2(read.has_value(), read ? "" : read.error().message().c_str());
        QVERIFY(*read == spec);
    }

    void the_proxy_s_password_is_for_the_supervisor_alone() {
        const SessionSpec spec = full_spec();
        QVERIFY(!spec_for_inside(spec).proxy);
        QCOMPARE(spec_for_disk(spec).proxy->authorization, std::string());
        QCOMPARE(spec_for_disk(spec).proxy->host, spec.proxy->host);
    }

    void absent_limits_stay_absent() {
        SessionSpec spec = full_spec();
        spec.limits = {};
        const auto read = parse_session_spec(to_json(spec));
        QVERIFY(read && *read == spec && !read->limits.cpus && !read->limits.memory_bytes);
    }

    void each_member_is_required() {
        const json whole = wire();
        for (const char* pointer : {"", "/syscalls", "/limits", "/terminal", "/mounts/0", "/egress/1"}) {
            for (const auto& [name, value] : whole.at(json::json_pointer(pointer)).items()) {
                json cut = whole;
                cut.at(json::json_pointer(pointer)).erase(name);
                const auto read = parse_session_spec(cut.dump());
                QVERIFY2(!read, name.c_str());
                QVERIFY2(read.error().message().find(name + ": missing") != std::string::npos,
                         read.error().message().c_str());
            }
        }
    }

    void each_member_must_have_its_type() {
        const json whole = wire();
        for (const char* pointer : {"", "/syscalls", "/limits", "/terminal", "/mounts/0", "/egress/1"}) {
            for (const auto& [name, value] : whole.at(json::json_pointer(pointer)).items()) {
                json odd = whole;
                odd.at(json::json_pointer(pointer))[name] = json::array({json::array()});
                QVERIFY2(!parse_session_spec(odd.dump()), name.c_str());
            }
        }
    }

    void odd_values_are_refused_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* pointer, const char* value, const char* says) {
            QTest::newRow(name) << pointer << value << says;
        };
        row("an unknown member", "/extra", "1", "extra: unknown member");
        row("an unknown member further in", "/mounts/0/extra", "1", "mounts[0].extra: unknown member");
        row("an id that is a path", "/id", "\"../../../etc/x\"", "id:");
        row("a NUL in an argument", "/argv/0", "\"a\\u0000b\"", "argv[0]: contains a NUL");
        row("no command", "/argv", "[]", "argv: empty");
        row("an environment entry without a name", "/environment/0", "\"=x\"", "environment:");
        row("an environment entry without a value", "/environment/0", "\"PATH\"", "environment:");
        row("a relative workspace", "/workspace", "\"w\"", "workspace: not an absolute");
        row("a path that climbs", "/mounts/0/path", "\"/usr/../etc\"", "mounts: not an absolute");
        row("a path with a double slash", "/system/0", "\"//usr\"", "system: not an absolute");
        row("a path that ends in a slash", "/home", "\"/home/u/\"", "home: not an absolute");
        row("an unknown mount mode", "/mounts/0/mode", "\"exec\"", "mounts[0].mode:");
        row("an unknown stream kind", "/terminal/standard_input", "\"file\"", "terminal.standard_input:");
        row("a negative number", "/uid", "-1", "uid: not a whole number");
        row("a uid that does not fit", "/uid", "4294967296", "uid: too large");
        row("a fraction where a whole number stands", "/limits/processes", "1.0",
            "limits.processes: not a whole number");
        row("null where a number is required", "/limits/processes", "null", "limits.processes:");
        row("no processors at all", "/limits/cpus", "0", "limits.cpus:");
        row("a number for a truth value", "/detached", "1", "detached:");
        row("an unknown fallback", "/egress/0/fallback", "\"allow\"", "egress:");
        row("an unknown profile", "/syscalls/profile", "\"/etc/x.json\"", "syscalls.profile:");
    }
    void odd_values_are_refused() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, says);
        json odd = wire();
        odd[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
        const auto read = parse_session_spec(odd.dump());
        QVERIFY(!read);
        QVERIFY2(QString::fromStdString(read.error().message()).contains(says), read.error().message().c_str());
    }

    void texts_that_are_no_spec_are_refused_data() {
        QTest::addColumn<QByteArray>("text");
        const QByteArray whole = QByteArray::fromStdString(to_json(full_spec()));
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("null") << QByteArray("null");
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("cut short") << whole.left(whole.size() - 1);
        QTest::newRow("followed by something") << whole + "{}";
        QTest::newRow("a member twice") << "{\"uid\":0," + whole.mid(1);
        QTest::newRow("a member twice, further in")
            << QByteArray(whole).replace("{\"allow\"", "{\"deny\":[],\"allow\"");
        QTest::newRow("a thousand brackets") << QByteArray(1000, '[');
        QTest::newRow("bytes that are no UTF-8") << QByteArray(whole).replace("fix the", "fix \xff the");
        QTest::newRow("too large") << whole + QByteArray(qsizetype(kMaxSpecBytes), ' ');
    }
    void texts_that_are_no_spec_are_refused() {
        QFETCH(QByteArray, text);
        QVERIFY(!parse_session_spec(text.toStdString()));
    }

    void bytes_survive_as_text_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("plain") << QByteArray("abc") << QByteArray("abc");
        QTest::newRow("UTF-8") << QByteArray("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x94")
                               << QByteArray("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x94");
        QTest::newRow("Latin-1") << QByteArray("caf\xe9") << QByteArray("caf\xef\x9f\xa9");
        QTest::newRow("the first escaped byte") << QByteArray("\x80") << QByteArray("\xef\x9e\x80");
        QTest::newRow("the last byte") << QByteArray("\xff") << QByteArray("\xef\x9f\xbf");
        QTest::newRow("a cut sequence") << QByteArray("\xe2\x82") << QByteArray("\xef\x9f\xa2\xef\x9e\x82");
        QTest::newRow("an overlong slash") << QByteArray("\xc0\xaf") << QByteArray("\xef\x9f\x80\xef\x9e\xaf");
        QTest::newRow("a surrogate") << QByteArray("\xed\xa0\x80")
                                     << QByteArray("\xef\x9f\xad\xef\x9e\xa0\xef\x9e\x80");
        QTest::newRow("the marker itself")
            << QByteArray("\xef\x9f\xbf") << QByteArray("\xef\x9f\xaf\xef\x9e\x9f\xef\x9e\xbf");
        QTest::newRow("beside the marker")
            << QByteArray("\xef\x9d\xbf\xef\xa0\x80") << QByteArray("\xef\x9d\xbf\xef\xa0\x80");
    }
    void bytes_survive_as_text() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, text);
        QCOMPARE(QByteArray::fromStdString(bytes_to_text(bytes.toStdString())), text);
        QCOMPARE(QByteArray::fromStdString(text_to_bytes(text.toStdString())), bytes);
        QVERIFY(QString::fromUtf8(text).toUtf8() == text);
    }

    void every_pair_of_bytes_survives() {
        for (int first = 0; first < 256; ++first)
            for (int second = 0; second < 256; ++second) {
                const std::string bytes{static_cast<char>(first), static_cast<char>(second), 'z'};
                QCOMPARE(text_to_bytes(bytes_to_text(bytes)), bytes);
            }
    }
};

QTEST_GUILESS_MAIN(TestSessionSpec)
#include "test_session_spec.moc"
