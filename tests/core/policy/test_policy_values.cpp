// Sizes, durations, paths and names as a person writes them.
#include "core/policy/nearest.h"
#include "core/policy/values.h"

#include <QtTest>

using namespace belljar;

namespace {

std::string text_of(const QByteArray& bytes) {
    return bytes.toStdString();
}

} // namespace

class TestPolicyValues : public QObject {
    Q_OBJECT

private slots:
    void sizes_data() {
        QTest::addColumn<qulonglong>("bytes"); // the largest value: refused
        const qulonglong refused = ~0ull;
        QTest::newRow("4GiB") << (4ull << 30);
        QTest::newRow("512MiB") << (512ull << 20);
        QTest::newRow("1TiB") << (1ull << 40);
        QTest::newRow("100B") << 100ull;
        QTest::newRow("0B") << 0ull;
        QTest::newRow("16777215TiB") << (16777215ull << 40);
        for (const char* text : {"", "GiB", "4", "4 GiB", " 4GiB", "4GiB ", "4GB", "4gib", "4G", "-4GiB", "+4GiB",
                                 "4.5GiB", "0x4GiB", "4GiBB", "16777216TiB", "99999999999999999999B", "4GiB4GiB"})
            QTest::newRow(*text ? text : "nothing") << refused;
    }
    void sizes() {
        QFETCH(qulonglong, bytes);
        const std::string text = QTest::currentDataTag();
        const auto size = parse_size(text == "nothing" ? "" : text);
        QCOMPARE(size.has_value(), bytes != ~0ull);
        if (size) QCOMPARE(qulonglong(*size), bytes);
    }

    void durations_data() {
        QTest::addColumn<qulonglong>("seconds"); // 0: refused
        QTest::newRow("8h") << 28800ull;
        QTest::newRow("1h30m") << 5400ull;
        QTest::newRow("1d2h3m4s") << 93784ull;
        QTest::newRow("90s") << 90ull;
        for (const char* text : {"", "0s", "0h0m", "8", "h", "8 h", "8H", "-8h", "1m1h", "1h1h", "1.5h", "8hours",
                                 "8h ", "18446744073709551616s", "300000000000000d"})
            QTest::newRow(*text ? text : "nothing") << 0ull;
    }
    void durations() {
        QFETCH(qulonglong, seconds);
        const std::string text = QTest::currentDataTag();
        const auto duration = parse_duration(text == "nothing" ? "" : text);
        QCOMPARE(duration.has_value(), seconds != 0);
        if (duration) QCOMPARE(qulonglong(*duration), seconds);
    }

    void paths_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("form");
        QTest::addColumn<QByteArray>("path"); // empty: refused
        const auto row = [](const char* title, PathForm form, const QByteArray& text, const QByteArray& path) {
            QTest::newRow(title) << text << int(form) << path;
        };
        using enum PathForm;
        row("absolute", Absolute, "/usr/lib", "/usr/lib");
        row("odd slashes and dots", Absolute, "//usr/./lib/", "/usr/lib");
        row("the root", Absolute, "/", "/");
        row("home where it is not wanted", Absolute, "~/.cargo", "");
        row("home", AbsoluteOrHome, "~/.cargo/", "~/.cargo");
        row("the home itself", AbsoluteOrHome, "~/", "~");
        row("somebody's home", AbsoluteOrHome, "~root/.ssh", "");
        row("relative", AbsoluteOrHome, "src", "");
        row("in the workspace", AlsoWorkspace, "secrets/", "secrets");
        row("in the workspace, absolute too", AlsoWorkspace, "/etc/x", "/etc/x");
        row("the workspace itself", AlsoWorkspace, "./", "");
        row("up", Absolute, "/usr/../etc", "");
        row("up at the end", AlsoWorkspace, "a/..", "");
        row("up from the workspace", AlsoWorkspace, "../other", "");
        row("two dots in a name", AlsoWorkspace, "a..b", "a..b");
        row("nothing", AlsoWorkspace, "", "");
        row("a NUL", Absolute, QByteArray("/usr\0/x", 7), "");
        row("a line break", Absolute, "/usr\n", "");
        row("an escape sequence", AlsoWorkspace, "\x1b[2J", "");
        row("right to left", AlsoWorkspace, "a\u202eb", "");
        row("a wildcard", AlsoWorkspace, "*.pem", "");
        row("a question mark", AlsoWorkspace, "key?", "");
        row("brackets are a name", AlsoWorkspace, "[id].tsx", "[id].tsx");
        row("a space is a name", Absolute, "/My Files", "/My Files");
        row("too long", Absolute, "/" + QByteArray(5000, 'a'), "");
    }
    void paths() {
        QFETCH(QByteArray, text);
        QFETCH(int, form);
        QFETCH(QByteArray, path);
        const auto checked = check_path(text_of(text), static_cast<PathForm>(form));
        QCOMPARE(checked.has_value(), !path.isEmpty());
        if (checked) QCOMPARE(QByteArray::fromStdString(*checked), path);
    }

    void what_a_session_has_of_its_own_is_not_mounted_data() {
        QTest::addColumn<bool>("fit");
        for (const char* path : {"/", "~", "/etc", "/etc/passwd", "/etc/hosts", "/etc/group", "/etc/resolv.conf",
                                 "/etc/nsswitch.conf", "/etc/hostname", "/proc", "/proc/1", "/sys/fs", "/dev",
                                 "/dev/kvm", "/tmp", "/run", "/run/user", "/run/user/1000/bus"})
            QTest::newRow(path) << false;
        for (const char* path : {"/usr", "~/.cargo", "/etc/ssl/certs", "/etc/passwd.d", "/process", "/tmp/x",
                                 "/run/media/x", "/devel", "/opt"})
            QTest::newRow(path) << true;
    }
    void what_a_session_has_of_its_own_is_not_mounted() {
        QFETCH(bool, fit);
        QCOMPARE(check_mountable(QTest::currentDataTag()).has_value(), fit);
    }

    void environment_names() {
        for (const char* name : {"EDITOR", "_x", "a1"})
            QVERIFY2(check_environment_name(name), name);
        for (const char* name :
             {"", "1A", "A B", "A=B", "A-B", "LC_*", "HOME", "PWD", "USER", "LOGNAME", "SHELL", "TMPDIR", "\xc3\xbc"})
            QVERIFY2(!check_environment_name(name), name);
    }

    void a_folder_holds_whole_names() {
        QVERIFY(lies_in("/a/b", "/a") && lies_in("/a", "/a") && lies_in("/a", "/"));
        QVERIFY(!lies_in("/ab", "/a") && !lies_in("/a", "/a/b") && !lies_in("/", "/a"));
    }

    void the_nearest_word_is_found() {
        constexpr std::string_view words[] = {"allow", "deny", "default", "private"};
        QCOMPARE(nearest("alow", words), std::string("did you mean 'allow'?"));
        QCOMPARE(nearest("dney", words), std::string("did you mean 'deny'?"));
        QCOMPARE(nearest("Default", words), std::string("did you mean 'default'?"));
        QCOMPARE(nearest("permissions", words), std::string());
        QCOMPARE(nearest(std::string(100'000, 'x'), words), std::string());
        QCOMPARE(nearest("", words), std::string());
        QCOMPARE(edit_distance("kitten", "sitting"), std::size_t(3));
        QCOMPARE(edit_distance("ab", "ba"), std::size_t(1));
    }
};

QTEST_GUILESS_MAIN(TestPolicyValues)
#include "test_policy_values.moc"
