// What doctor's checks say of machines that this one is not: settings and mounts read from a folder, answers of a
// kernel given by hand.
#include "app/client/doctor.h"

#include "core/system/files.h"

#include <QtTest>
#include <cerrno>

using namespace belljar;
using State = Check::State;

class TestDoctorChecks : public QObject {
    Q_OBJECT

    // A machine in a folder: /proc/sys/… and /etc/subuid as given.
    class Machine {
    public:
        void put(const std::string& path, const std::string& text) const {
            const std::string file = root() + path;
            QVERIFY(make_folders(file.substr(0, file.rfind('/'))));
            QVERIFY(write_file(file, text));
        }
        std::string root() const { return folder_.path().toStdString(); }
        Check check(const std::string& name) const {
            Place place;
            place.account.name = "ann";
            place.account.uid = 1234;
            for (const Check& one : check_settings(place, root()))
                if (one.name == name) return one;
            return {};
        }

    private:
        QTemporaryDir folder_;
    };

    static bool says(const Check& check, const char* found, const char* advice) {
        return check.found.find(found) != std::string::npos && check.advice.find(advice) != std::string::npos;
    }

private slots:
    void a_setting_that_is_off_is_missing_with_the_command_that_turns_it_on_data() {
        QTest::addColumn<QByteArray>("setting");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("state");
        QTest::addColumn<QByteArray>("found");
        QTest::addColumn<QByteArray>("advice");
        const auto row = [](const char* setting, const char* value, const char* name, State state, const char* found,
                            const char* advice) {
            QTest::addRow("%s = %s", setting, value) << QByteArray(setting) << QByteArray(value) << QByteArray(name)
                                                     << static_cast<int>(state) << QByteArray(found)
                                                     << QByteArray(advice);
        };
        row("user/max_user_namespaces", "0", "namespace limits", State::Missing, "switched off", "sysctl user.max_user");
        row("user/max_user_namespaces", "1", "namespace limits", State::Missing, "needs 2", "sysctl user.max_user");
        row("user/max_user_namespaces", "2", "namespace limits", State::Ok, "2", "");
        row("user/max_net_namespaces", "0", "namespace limits", State::Missing, "network", "sysctl user.max_net");
        row("user/max_time_namespaces", "0", "namespace limits", State::Missing, "time", "sysctl user.max_time");
        const char* debian = "kernel.unprivileged_userns_clone";
        row("kernel/unprivileged_userns_clone", "0", debian, State::Missing, "ordinary users", "userns_clone=1");
        row("kernel/unprivileged_userns_clone", "1", debian, State::Ok, "1", "");
        const char* apparmor = "kernel.apparmor_restrict_unprivileged_userns";
        row("kernel/apparmor_restrict_unprivileged_userns", "1", apparmor, State::Note, "AppArmor", "userns,");
        row("kernel/apparmor_restrict_unprivileged_userns", "0", apparmor, State::Ok, "0", "");
        row("kernel/yama/ptrace_scope", "3", "Yama", State::Missing, "is 3", "reboot");
        row("kernel/yama/ptrace_scope", "2", "Yama", State::Ok, "is 2", "");
    }
    void a_setting_that_is_off_is_missing_with_the_command_that_turns_it_on() {
        QFETCH(QByteArray, setting);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, name);
        QFETCH(int, state);
        QFETCH(QByteArray, found);
        QFETCH(QByteArray, advice);
        const Machine machine;
        machine.put("/proc/sys/" + setting.toStdString(), value.toStdString() + "\n");
        const Check check = machine.check(name.toStdString());
        QCOMPARE(static_cast<int>(check.state), state);
        QVERIFY2(says(check, found, advice), (check.found + "; " + check.advice).c_str());
        QCOMPARE(check.advice.empty(), check.state == State::Ok);
    }
    void a_machine_without_any_of_the_settings_lacks_nothing() {
        const Machine machine;
        for (const char* name : {"namespace limits", "kernel.unprivileged_userns_clone", "Yama",
                                 "kernel.apparmor_restrict_unprivileged_userns"})
            QVERIFY2(machine.check(name).state == State::Ok, name);
    }

    void cgroups_and_uid_ranges_are_notes() {
        Machine machine;
        QCOMPARE(machine.check("cgroup v2").state, State::Note);
        QCOMPARE(machine.check("uid range").state, State::Note);
        machine.put("/proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:9 / /sys/fs/cgroup rw - cgroup2 none rw\n");
        QCOMPARE(machine.check("cgroup v2").state, State::Ok);
        machine.put("/etc/subuid", "anna:100000:65536\n");
        QCOMPARE(machine.check("uid range").state, State::Note);
        machine.put("/etc/subuid", "anna:100000:65536\n1234:200000:65536\n");
        QCOMPARE(machine.check("uid range").state, State::Ok);
    }

    void a_refusal_of_namespaces_is_told_by_its_cause() {
        Machine machine;
        QCOMPARE(namespaces_check("", 0, machine.root()).state, State::Ok);
        QVERIFY(says(namespaces_check("make the session's namespaces", ENOSPC, machine.root()), "limit", "max_"));
        QVERIFY(says(namespaces_check("make the supervisor's namespaces", ENOSYS, machine.root()), "filter", "clone3"));
        QVERIFY(says(namespaces_check("mount a fresh /proc", EPERM, machine.root()), "/proc", "container"));
        QVERIFY(says(namespaces_check("set a host name", EPERM, machine.root()), "refuses", "container"));
        machine.put("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
        QVERIFY(says(namespaces_check("set a host name", EPERM, machine.root()), "AppArmor", "userns,"));
        QVERIFY(says(namespaces_check("set a host name", ENOSPC, machine.root()), "limit", "max_"));
    }

    void what_the_kernel_lacks_is_named() {
        QCOMPARE(landlock_check(7, 0).state, State::Ok);
        QVERIFY(says(landlock_check(-1, ENOSYS), "no Landlock", "require"));
        QVERIFY(says(landlock_check(1, 0), "ABI 1", "moved from one folder to another"));
        QVERIFY(says(landlock_check(4, 0), "control of devices", "6.12"));
        QVERIFY(landlock_check(4, 0).found.find("truncation") == std::string::npos);
        QCOMPARE(landlock_check(4, 0).state, State::Note);
        QVERIFY(says(notification_check(EBUSY, "seccomp"), "already listens", "outside"));
        QVERIFY(says(notification_check(EINVAL, "seccomp"), "cannot report", "5.19"));
        QVERIFY(says(notification_check(EPERM, "seccomp"), "cannot be installed", "container"));
        QVERIFY(says(door_check("load a tproxy rule", ENOENT), "no tproxy", "nft_tproxy"));
        QVERIFY(says(door_check("open a netfilter socket", EPROTONOSUPPORT), "no nftables", "nf_tables"));
        QVERIFY(says(door_check("make a network namespace", EPERM), "network namespace", "namespaces come first"));
    }

    void a_path_lies_on_the_longest_and_latest_mount() {
        const std::string mounts = "1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda rw\n"
                                   "2 1 8:2 / /home rw,noexec shared:2 master:1 - ext4 /dev/sdb rw\n"
                                   "3 1 0:5 / /a\\040b rw - nfs4 server:/x rw,vers=4\n"
                                   "4 1 0:6 / /proc rw - proc proc rw,hidepid=invisible\n"
                                   "5 2 0:7 / /home rw - tmpfs none rw\n";
        QCOMPARE(mount_of("/usr/bin", mounts).type, std::string("ext4"));
        QCOMPARE(mount_of("/home/ann", mounts).type, std::string("tmpfs"));
        QCOMPARE(mount_of("/homes", mounts).type, std::string("ext4"));
        QCOMPARE(mount_of("/a b/c", mounts).at, std::string("/a b"));
        QVERIFY(mount_of("/a b", mounts).has("vers=4") && !mount_of("/a b", mounts).has("vers"));
        QVERIFY(says(proc_check(mounts), "hidepid=invisible", ""));
        QCOMPARE(proc_check("").state, State::Missing);
        QCOMPARE(proc_check("1 0 8:1 / / rw - ext4 a rw\n").state, State::Missing);
    }

    void noexec_is_told_where_it_matters() {
        const std::string root = "1 0 8:1 / / rw - overlay overlay rw,lowerdir=x\n";
        QVERIFY(says(root_check(root), "overlay", ""));
        QCOMPARE(execution_check("/home/a/.local", "/home/a", root).state, State::Ok);
        const std::string home = root + "2 1 8:2 / /home rw,noexec - ext4 b rw\n";
        QVERIFY(says(execution_check("/var/state", "/home/a", home), "/home/a lies on", "workspaces elsewhere"));
        QVERIFY(says(execution_check("/home/a/.local", "/home/a", home), "/home/a/.local lies on", "BELLJAR_STATE_DIR"));
        const std::string tmp = root + "3 1 0:9 / /tmp rw,noexec - tmpfs none rw\n";
        QCOMPARE(execution_check("/var/state", "/home/a", tmp).state, State::Ok);
        QVERIFY(says(execution_check("/var/state", "/home/a", tmp), "/tmp of its own", ""));
        QCOMPARE(network_file_system(0x6969), std::string("NFS"));
        QCOMPARE(network_file_system(0xEF53), std::string());
    }
};
QTEST_GUILESS_MAIN(TestDoctorChecks)
#include "test_client_doctor_checks.moc"
