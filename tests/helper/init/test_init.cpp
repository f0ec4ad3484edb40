// belljar-init by itself, with no namespace around it: what it does to the command's process must hold alone, behind
// mounts and pid namespaces that would hide its absence.
#include "core/session/spec.h"
#include "core/system/descriptor_passing.h"
#include "core/system/files.h"
#include "helper/builder/descriptors.h"
#include "helper/link/link.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace belljar;

namespace {

SessionSpec spec_of(const std::string& workspace, const std::string& home, const std::string& script) {
    SessionSpec spec;
    spec.id = "0123456789ab";
    spec.name = "test";
    spec.argv = {"/bin/sh", "-c", script};
    spec.environment = {"PATH=/usr/bin:/bin", "GIVEN=yes"};
    spec.workspace = spec.working_directory = workspace;
    spec.user = "u";
    spec.uid = ::getuid();
    spec.gid = ::getgid();
    spec.home = home;
    spec.policy_name = "test";
    spec.policy_sha256 = std::string(64, 'a');
    spec.state_folder = "/s/0123456789ab";
    spec.runtime_folder = "/r/0123456789ab";
    return spec;
}

// The supervisor's end of the link, and init at the other one.
class Init {
public:
    explicit Init(const SessionSpec& spec) {
        auto pair = make_socketpair(SOCK_SEQPACKET);
        const UniqueFd file(::memfd_create("spec", MFD_CLOEXEC)), filter(::open(BELLJAR_FILTER, O_RDONLY | O_CLOEXEC));
        (void)write_all(file.get(), to_json(spec), "the spec");
        ::lseek(file.get(), 0, SEEK_SET);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            ::setenv("OF_THE_LAUNCHER", "secret", 1);
            const PlacedFd placed[] = {{file.get(), link::init_fd::kSpec},
                                       {pair->second.get(), link::init_fd::kLink},
                                       {filter.get(), link::init_fd::kFilter}};
            if (!place_descriptors(placed)) ::_exit(98);
            ::execl(BELLJAR_INIT, "belljar-init", nullptr);
            ::_exit(99);
        }
        link_ = std::move(pair->first);
    }
    ~Init() {
        if (command_ > 0) ::kill(command_, SIGKILL);
        if (pid_ > 0) ::kill(pid_, SIGKILL);
        if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    }
    Init(const Init&) = delete;
    Init& operator=(const Init&) = delete;

    void go() { (void)link::send(link_.get(), link::Type::Go, 0, 0); }
    // Listens until a message of that kind comes, and says go when it may begin; the message's value, or nothing.
    std::optional<int> until(link::Type wanted) {
        for (;;) {
            pollfd ready{link_.get(), POLLIN, 0};
            if (::poll(&ready, 1, 10'000) != 1) return std::nullopt;
            auto message = link::receive(link_.get());
            if (!message || !*message) return std::nullopt;
            if ((*message)->type == link::Type::Failed) qWarning("%s", (*message)->text.c_str());
            if ((*message)->type == link::Type::Layers && wanted != link::Type::Layers) go();
            if ((*message)->type == link::Type::Listener) listener_ = std::move((*message)->fds.front());
            if ((*message)->type == link::Type::Started) command_ = (*message)->value;
            if ((*message)->type == wanted) return (*message)->value;
        }
    }
    void let_go() { link_.reset(); }
    bool ends() {
        for (int i = 0; i < 500; ++i, ::usleep(10'000))
            if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
                pid_ = -1;
                return true;
            }
        return false;
    }

private:
    pid_t pid_ = -1, command_ = -1;
    UniqueFd link_, listener_;
};

} // namespace

class TestInit : public QObject {
    Q_OBJECT
    // In the home: /tmp is scratch to every session.
    QTemporaryDir folder_{QDir::homePath() + "/.belljar-test-init-XXXXXX"};

    std::string at(const QString& name) const { return folder_.filePath(name).toStdString(); }
    // What the script wrote to $OUT; it runs to its end.
    QString run(const QString& script, const std::function<void(SessionSpec&)>& change = {}) {
        SessionSpec spec = spec_of(at("workspace"), at("home"),
                                   ("OUT='" + folder_.filePath("workspace/out") + "'\n" + script).toStdString());
        if (change) change(spec);
        QFile::remove(folder_.filePath("workspace/out"));
        Init init(spec);
        if (!init.until(link::Type::Exited)) return "it did not end";
        QFile out(folder_.filePath("workspace/out"));
        return out.open(QIODevice::ReadOnly) ? QString::fromUtf8(out.readAll()) : "nothing";
    }

private slots:
    void initTestCase() {
        QVERIFY2(folder_.isValid(), "the home folder must be writable");
        for (const char* name : {"workspace", "home", "outside"})
            QVERIFY(QDir(folder_.path()).mkdir(name));
    }

    // No mount is read-only here: what refuses is Landlock.
    void landlock_alone_lets_the_command_write_in_its_own_places_only() {
        QVERIFY(write_file(at("outside/kept"), "kept", 0600));
        const QString outside = folder_.filePath("outside"), home = folder_.filePath("home");
        const QString tried = run(QString(R"(exec 2>/dev/null
            cd '%1' && cat kept > $OUT
            for call in 'echo x > new' 'echo x > kept' 'rm kept' 'mkdir folder' 'mv kept %2' 'ln -s a link' 'mkfifo fifo'
            do (eval "$call") && echo "$call" >> $OUT; done
            echo x > '%2/own' && rm '%2/own' && echo ' home' >> $OUT)")
                                      .arg(outside, home));
        QCOMPARE(tried, QString("kept home\n"));
        QCOMPARE(QDir(outside).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::System), QStringList{"kept"});
    }

    void landlock_alone_keeps_a_workspace_that_is_not_writable() {
        const QString workspace = folder_.filePath("workspace"), home = folder_.filePath("home");
        const QString tried =
            run("OUT='" + home + "/out'\n(echo x > '" + workspace + "/new') 2>/dev/null || echo refused > $OUT",
                [](SessionSpec& spec) { spec.workspace_writable = false; });
        QCOMPARE(tried, QString("nothing"));
        QVERIFY(!QFile::exists(workspace + "/new") && QFile::exists(home + "/out"));
    }

    void the_command_holds_the_limits_of_its_spec() {
        const QString limits = run("cat /proc/self/limits > $OUT", [](SessionSpec& spec) {
                                   spec.limits.open_files = 123;
                                   spec.limits.processes = 4321;
                               }).simplified();
        QVERIFY2(limits.contains("Max open files 123 123 files"), qPrintable(limits));
        QVERIFY2(limits.contains("Max processes 4321 4321 processes"), qPrintable(limits));
        rlimit ours{};
        ::getrlimit(RLIMIT_CORE, &ours);
        const char* core =
            ours.rlim_max == 0 ? "Max core file size 0 0 bytes" : "Max core file size 1 1 bytes"; // never raised
        QVERIFY2(limits.contains(core),
                 qPrintable(limits)); // a core_pattern that is a pipe ignores 0
    }

    void the_command_has_no_variable_and_no_descriptor_but_its_own() {
        QCOMPARE(run("exec > $OUT; tr '\\0' '\\n' < /proc/self/environ; ls /proc/self/fd"),
                 QString("PATH=/usr/bin:/bin\nGIVEN=yes\n0\n1\n2\n3\n")); // 3 is the listing itself
    }

    void the_command_is_filtered() { QVERIFY(run("grep Seccomp: /proc/self/status > $OUT").endsWith("\t2\n")); }

    void nothing_runs_before_the_supervisor_says_go() {
        const QString made = folder_.filePath("workspace/made");
        Init init(spec_of(at("workspace"), at("home"), "touch '" + made.toStdString() + "'"));
        QVERIFY(init.until(link::Type::Layers));
        QTest::qWait(300);
        QVERIFY(!QFile::exists(made));
        init.go();
        QVERIFY(init.until(link::Type::Exited));
        QVERIFY(QFile::exists(made));
    }

    // The second trigger, beside the pid namespace that dies with the supervisor.
    void it_ends_when_the_supervisor_is_gone() {
        Init running(spec_of(at("workspace"), at("home"), "sleep 20"));
        QVERIFY(running.until(link::Type::Started));
        running.let_go();
        QVERIFY2(running.ends(), "init lives on without a supervisor");
        Init waiting(spec_of(at("workspace"), at("home"), "sleep 20"));
        waiting.let_go(); // before it said go
        QVERIFY(waiting.ends());
    }
};

QTEST_GUILESS_MAIN(TestInit)
#include "test_init.moc"
