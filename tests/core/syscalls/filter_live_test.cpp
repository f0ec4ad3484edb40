// The filter in the running kernel: real calls of a real child, and ordinary programs under each profile.
#include "observed_child.h"

#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <arpa/inet.h>
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/stat.h>

using namespace belljar;

namespace {

// The errno of a call, 0 when it succeeded. Raw: the C library would fall back, or translate.
int error_of(long number, unsigned long a = 0, unsigned long b = 0, unsigned long c = 0, unsigned long d = 0) {
    return ::syscall(number, a, b, c, d) < 0 ? errno : 0;
}

// The i386 entry of the kernel, from a 64-bit program: getpid is 20 there.
int error_of_i386_getpid() {
    long result = 20;
    asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    return result < 0 ? static_cast<int>(-result) : 0;
}

struct Probe {
    const char* name;
    std::function<int()> call; // in the child
    int expected;              // errno
    const char* notified;      // the name that the listener sees, "" for none
};

std::vector<Probe> probes(const QTemporaryDir& folder) {
    static std::string folder_name, file, fifo, device;
    folder_name = folder.path().toStdString();
    file = folder.filePath("file").toStdString();
    fifo = folder.filePath("fifo").toStdString();
    device = folder.filePath("device").toStdString();
    static const sockaddr_in address = [] {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(9);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return to;
    }();
    const auto p = [](const void* pointer) { return reinterpret_cast<unsigned long>(pointer); };
    constexpr unsigned long high = 0xffff000000000000;
    return {
        {"getppid", [] { return error_of(SYS_getppid); }, 0, ""},
        {"a TCP socket", [] { return error_of(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }, 0, ""},
        {"a raw socket", [] { return error_of(SYS_socket, AF_INET, SOCK_RAW, IPPROTO_ICMP); }, EAFNOSUPPORT, "socket"},
        {"a vsock", [] { return error_of(SYS_socket, AF_VSOCK, SOCK_STREAM, 0); }, EAFNOSUPPORT, "socket"},
        {"a Unix datagram pair",
         [] {
             int ends[2];
             return error_of(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, reinterpret_cast<unsigned long>(ends));
         },
         EAFNOSUPPORT, "socketpair"},
        {"connect",
         [=] {
             const long socket = ::syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
             return error_of(SYS_connect, static_cast<unsigned long>(socket), p(&address), sizeof address);
         },
         EACCES, "connect"},
        {"unshare", [] { return error_of(SYS_unshare, CLONE_NEWUSER); }, EPERM, "unshare"},
        {"a clone into a namespace", [] { return error_of(SYS_clone, CLONE_NEWUSER | SIGCHLD); }, EPERM, "clone"},
        {"clone3", [] { return error_of(SYS_clone3, 0, 0); }, ENOSYS, ""},
        {"openat2", [] { return error_of(SYS_openat2, AT_FDCWD, 0, 0, 0); }, ENOSYS, ""},
        {"a setuid file",
         [=] {
             return error_of(SYS_openat, static_cast<unsigned long>(AT_FDCWD), p(file.c_str()), O_CREAT | O_WRONLY,
                             04755);
         },
         EPERM, "openat"},
        {"an ordinary file",
         [=] {
             return error_of(SYS_openat, static_cast<unsigned long>(AT_FDCWD), p(file.c_str()), O_CREAT | O_WRONLY,
                             0644);
         },
         0, ""},
        {"chmod setgid", [=] { return error_of(SYS_chmod, p(file.c_str()), 02755); }, EPERM, "chmod"},
        {"chmod setuid by 452",
         [=] { return error_of(452, static_cast<unsigned long>(AT_FDCWD), p(file.c_str()), 04755, 0); }, EPERM,
         "fchmodat2"},
        {"chmod", [=] { return error_of(SYS_chmod, p(folder_name.c_str()), 0755); }, 0, ""},
        {"a fifo", [=] { return error_of(SYS_mknod, p(fifo.c_str()), S_IFIFO | 0600, 0); }, 0, ""},
        {"a device", [=] { return error_of(SYS_mknod, p(device.c_str()), S_IFCHR | 0600, 0x103); }, EPERM, "mknod"},
        {"TIOCSTI", [=] { return error_of(SYS_ioctl, 0, TIOCSTI, p("x")); }, EPERM, "ioctl"},
        {"TIOCSTI with high bits", [=] { return error_of(SYS_ioctl, 0, high | TIOCSTI, p("x")); }, EPERM, "ioctl"},
        {"io_uring", [] { return error_of(SYS_io_uring_setup, 1, 0); }, ENOSYS, "io_uring_setup"},
        {"a second listener",
         [] { return error_of(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0); }, EBUSY,
         "seccomp"},
        {"an x32 call", [] { return error_of(0x40000000 | SYS_getpid); }, ENOSYS, ""},
        {"an i386 call", [] { return error_of_i386_getpid(); }, ENOSYS, ""},
        {"an unknown number", [] { return error_of(1000); }, ENOSYS, ""},
        {"minus one", [] { return error_of(-1); }, ENOSYS, ""},
    };
}

// Runs a shell command under a profile, in a folder of its own.
Observed run_shell(const char* profile, const QString& folder, const QByteArray& command) {
    const std::string in = folder.toStdString();
    return observe(SyscallSpec{profile, {}, {}},
                   [&] {
                       if (::chdir(in.c_str()) != 0) return 98;
                       ::setenv("HOME", in.c_str(), 1);
                       ::setenv("TMPDIR", in.c_str(), 1);
                       ::execl("/bin/sh", "sh", "-ec", command.constData(), nullptr);
                       return 97;
                   })
        .value();
}

} // namespace

class FilterLiveTest : public QObject {
    Q_OBJECT
private slots:
    void a_real_call_gets_its_verdict_and_denials_are_seen_data() {
        QTest::addColumn<int>("index");
        const QTemporaryDir folder;
        int index = 0;
        for (const Probe& probe : probes(folder))
            QTest::newRow(probe.name) << index++;
    }
    void a_real_call_gets_its_verdict_and_denials_are_seen() {
        QFETCH(int, index);
        const QTemporaryDir folder;
        const std::vector<Probe> all = probes(folder);
        const Probe& probe = all[static_cast<std::size_t>(index)];
        const auto observed = observe(SyscallSpec{}, probe.call);
        QVERIFY2(observed.has_value(), observed ? "" : observed.error().message().c_str());
        QVERIFY(WIFEXITED(observed->wait_status));
        QCOMPARE(WEXITSTATUS(observed->wait_status), probe.expected);
        std::map<std::string, int> expected;
        if (*probe.notified != '\0') expected[probe.notified] = 1;
        QCOMPARE(observed->notified, expected);
    }

    void a_thousand_denials_are_all_seen() {
        const auto observed = observe(SyscallSpec{}, [] {
            for (int i = 0; i < 1000; ++i)
                if (error_of(i % 2 == 0 ? SYS_mount : SYS_keyctl) != EPERM) return 1;
            return 0;
        });
        QCOMPARE(WEXITSTATUS(observed->wait_status), 0);
        QCOMPARE(observed->notified, (std::map<std::string, int>{{"keyctl", 500}, {"mount", 500}}));
    }

    void ordinary_programs_work_under_strict_with_nothing_denied_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QByteArray>("command");
        const auto row = [](const char* program, const char* command) {
            QTest::newRow(program) << QString(program) << QByteArray(command);
        };
        row("sh", "seq 1000 | sort -rn | tail -1 | grep -qx 1; ls -la / > out; cp -a out copy; mkfifo f; sleep 0.01 & "
                  "wait; kill -0 $$");
        row("bash", "bash -c 'read -r x < <(echo hi); [[ $x = hi ]]; coproc cat; echo a >&\"${COPROC[1]}\"; read -r y "
                    "<&\"${COPROC[0]}\"; [[ $y = a ]]'");
        row("gcc", "echo 'int main(void){return 0;}' > a.c; gcc -O2 a.c -o a; ./a");
        row("git", "git init -q r; cd r; git config user.email a@example.org; git config user.name A; echo x > x; git "
                   "add x; git commit -qm x; git gc -q");
        row("tar", "mkdir d; echo x > d/x; tar czf d.tgz d; rm -r d; tar xzf d.tgz; grep -qx x d/x");
        row("perl", "perl -e 'use Socket; socketpair(A,B,AF_UNIX,SOCK_STREAM,0) or die; my $p=fork; if(!$p){exit 0} "
                    "waitpid($p,0); die if $?'");
        row("python3", "/usr/bin/python3 -c 'import subprocess,threading,sqlite3,tempfile,socket,os,asyncio,random\n"
                       "t=threading.Thread(target=lambda: None);t.start();t.join()\n"
                       "assert subprocess.run([\"true\"]).returncode==0\n"
                       "async def f(): p=await asyncio.create_subprocess_exec(\"true\"); return await p.wait()\n"
                       "assert asyncio.run(f())==0\n"
                       "s=socket.create_server((\"127.0.0.1\",0)); s.close()\n"
                       "sqlite3.connect(\"d.db\").execute(\"create table t(x)\")'");
        row("node",
            "node -e 'const {execSync}=require(\"child_process\");const "
            "fs=require(\"fs\");fs.writeFileSync(\"a\",\"b\");"
            "fs.watch(\".\").close();execSync(\"true\");new (require(\"worker_threads\").Worker)(\"\",{eval:true})'");
        row("go",
            "mkdir m; cd m; printf 'package main\\nfunc main(){c:=make(chan int);go func(){c<-1}();<-c}\\n' > a.go; "
            "GOCACHE=$HOME/c GOFLAGS=-mod=mod GO111MODULE=off go build -o a a.go; ./a");
    }
    void ordinary_programs_work_under_strict_with_nothing_denied() {
        QFETCH(QString, program);
        QFETCH(QByteArray, command);
        QVERIFY2(!QStandardPaths::findExecutable(program).isEmpty(), "the program is missing: install it");
        const QTemporaryDir folder;
        Observed observed = run_shell("strict", folder.path(), command);
        observed.notified.erase("connect"); // asked by design: the C library looks for nscd
        std::string denied;
        for (const auto& [name, count] : observed.notified)
            denied += name + " ";
        QVERIFY2(WIFEXITED(observed.wait_status) && WEXITSTATUS(observed.wait_status) == 0, denied.c_str());
        QVERIFY2(denied.empty(), denied.c_str());
    }

    void a_debugger_works_under_default_and_not_under_strict() {
        const QTemporaryDir folder;
        const QByteArray command = "strace -f -o trace /bin/true && grep -q execve trace";
        QCOMPARE(WEXITSTATUS(run_shell("default", folder.path(), command).wait_status), 0);
        const Observed strict = run_shell("strict", folder.path(), command);
        QVERIFY(WEXITSTATUS(strict.wait_status) != 0);
        QVERIFY(strict.notified.contains("ptrace"));
    }
};

QTEST_GUILESS_MAIN(FilterLiveTest)
#include "filter_live_test.moc"
