// The private root: what is bound read-only cannot be written, targets never follow a symlink, the old root is gone.

#include "helper/builder/mounts.h"
#include "tests/helper/builder/in_namespaces.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

using namespace belljar;

namespace {
constexpr std::uint64_t kMounts = CLONE_NEWUSER | CLONE_NEWNS;

std::string errno_of(int result) { return result >= 0 ? "allowed" : std::strerror(errno); }
}

class TestMounts : public QObject {
    Q_OBJECT
private slots:
    void a_read_only_bind_refuses_writing_and_a_writable_one_takes_it() {
        QTemporaryDir outside;
        const std::string source = outside.path().toStdString();
        QCOMPARE(in_namespaces(kMounts, [&] {
            const auto roots = enter_fresh_root("mode=0755");
            if (!roots) return roots.error().message();
            const auto from = open_below(roots->old.get(), source);
            if (!from) return from.error().message();
            for (const bool read_only : {true, false}) {
                const std::string path = read_only ? "/fixed" : "/open";
                const auto target = make_target_folder(roots->fresh.get(), path);
                if (!target) return target.error().message();
                if (Status done = bind(from->get(), target->get(), {.read_only = read_only}, path); !done) return done.error().message();
            }
            if (Status left = leave_old_root(false); !left) return left.error().message();
            if (errno_of(::open("/fixed/a", O_WRONLY | O_CREAT, 0600)) != "Read-only file system") return std::string("the read-only bind was written");
            if (errno_of(::open("/open/a", O_WRONLY | O_CREAT, 0600)) != "allowed") return std::string("the writable bind was not");
            if (errno_of(::open("/new", O_WRONLY | O_CREAT, 0600)) != "Read-only file system") return std::string("the root was written");
            return std::string();
        }), QString());
        QVERIFY(QFile::exists(outside.filePath("a")));
    }

    void every_mount_is_without_setuid_and_devices_whatever_else_it_allows() {
        QTemporaryDir outside;
        const std::string source = outside.path().toStdString();
        QCOMPARE(in_namespaces(kMounts, [&] {
            const auto roots = enter_fresh_root("mode=0755");
            if (!roots) return roots.error().message();
            const auto from = open_below(roots->old.get(), source);
            const auto target = make_target_folder(roots->fresh.get(), "/open");
            if (!from || !target) return std::string("no folder to bind");
            if (Status done = bind(from->get(), target->get(), {.read_only = false}, "/open"); !done) return done.error().message();
            if (Status left = leave_old_root(false); !left) return left.error().message();
            for (const char* path : {"/open", "/"}) {
                struct statvfs facts {};
                if (::statvfs(path, &facts) != 0) return system_failure(path).value().message();
                if ((facts.f_flag & ST_NOSUID) == 0) return std::string("setuid files work in ") + path;
                if ((facts.f_flag & ST_NODEV) == 0) return std::string("device files work in ") + path;
            }
            return std::string();
        }), QString());
    }

    void the_old_root_is_gone() {
        QCOMPARE(in_namespaces(kMounts, [] {
            const auto roots = enter_fresh_root("mode=0755");
            if (!roots) return roots.error().message();
            if (Status left = leave_old_root(false); !left) return left.error().message();
            struct stat st {};
            return ::stat("/oldroot", &st) != 0 && ::stat("/usr", &st) != 0 ? std::string() : std::string("something of the host is still there");
        }), QString());
    }

    void a_target_below_a_symlink_is_refused() {
        QTemporaryDir outside;
        const std::string folder = outside.path().toStdString();
        QVERIFY(QFile::link("/etc", outside.filePath("trap")));
        UniqueFd root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        for (const char* path : {"/trap", "/trap/x", "/trap/x/y"}) {
            QVERIFY2(!open_target(root.get(), path), path);
            QVERIFY2(!make_target_folder(root.get(), path), path);
            QVERIFY2(!make_target_file(root.get(), path), path);
        }
        QVERIFY(make_target_file(root.get(), "/a/b/c"));
        QVERIFY(QFileInfo(outside.filePath("a/b/c")).isFile());
    }

    void a_path_does_not_leave_its_root_by_dots() {
        QTemporaryDir outside;
        UniqueFd root(::open(outside.path().toStdString().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        QVERIFY(!open_target(root.get(), "/../../etc"));
        QVERIFY(!open_below(root.get(), "/../../etc/passwd")); // stays inside, where there is none
    }
};

QTEST_GUILESS_MAIN(TestMounts)
#include "test_mounts.moc"
