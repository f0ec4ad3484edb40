#include "core/syscalls/table.h"

#include <QtTest>
#include <cerrno>
#include <sys/syscall.h>

using namespace belljar;

class TableTest : public QObject {
    Q_OBJECT
private slots:
    void numbers_are_those_of_the_headers_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("number");
#define ROW(name) QTest::newRow(#name) << QString(#name) << SYS_##name
        ROW(read);
        ROW(connect);
        ROW(clone);
        ROW(execve);
        ROW(exit_group);
        ROW(openat);
        ROW(newfstatat);
        ROW(seccomp);
        ROW(rseq);
        ROW(pidfd_send_signal);
        ROW(clone3);
        ROW(openat2);
        ROW(set_mempolicy_home_node);
#undef ROW
        QTest::newRow("fchmodat2") << QString("fchmodat2") << 452;
        QTest::newRow("mseal") << QString("mseal") << 462;
        QTest::newRow("file_setattr") << QString("file_setattr") << 469;
    }
    void numbers_are_those_of_the_headers() {
        QFETCH(QString, name);
        QFETCH(int, number);
        QCOMPARE(syscall_number(name.toStdString()), std::optional(number));
        QCOMPARE(QString::fromUtf8(syscall_name(number)), name);
    }

    void every_entry_is_found_by_name_and_by_number() {
        int before = -1;
        for (const SyscallEntry& entry : syscall_table()) {
            QVERIFY(entry.number > before);
            before = entry.number;
            QCOMPARE(syscall_number(entry.name), std::optional(entry.number));
            QVERIFY(syscall_name(entry.number) == entry.name);
        }
        QCOMPARE(before, 469);
    }

    void what_is_not_there_is_not_found() {
        for (const int number : {-1, 337, 423, 470, 0x40000000, 0x40000000 + 59})
            QVERIFY(syscall_name(number).empty());
        for (const char* name : {"", "Read", "read ", "opena", "socketcall"})
            QVERIFY(!syscall_number(name));
    }

    void a_denial_has_the_errno_that_its_callers_understand_data() {
        QTest::addColumn<int>("number");
        QTest::addColumn<int>("answer");
        QTest::newRow("connect") << int{SYS_connect} << EACCES;
        QTest::newRow("socket") << int{SYS_socket} << EAFNOSUPPORT;
        QTest::newRow("socketpair") << int{SYS_socketpair} << EAFNOSUPPORT;
        QTest::newRow("fast open") << int{SYS_sendto} << EOPNOTSUPP;
        QTest::newRow("a second listener") << int{SYS_seccomp} << EBUSY;
        QTest::newRow("io_uring") << int{SYS_io_uring_setup} << ENOSYS;
        QTest::newRow("fsopen") << int{SYS_fsopen} << ENOSYS;
        QTest::newRow("ptrace") << int{SYS_ptrace} << EPERM;
        QTest::newRow("chmod") << int{SYS_chmod} << EPERM;
        QTest::newRow("an unknown number") << 9999 << ENOSYS;
    }
    void a_denial_has_the_errno_that_its_callers_understand() {
        QFETCH(int, number);
        QFETCH(int, answer);
        QCOMPARE(denial_errno(number), answer);
    }
};

QTEST_GUILESS_MAIN(TableTest)
#include "table_test.moc"
