// The user's terminal: raw only when wanted and only while we are in its foreground, and given back as it was.
#include "app/cli/user_terminal.h"

#include <QtTest>
#include <csignal>
#include <functional>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace belljar::cli;

class TestUserTerminal : public QObject {
    Q_OBJECT
    int master_ = -1, slave_ = -1;

    static bool is_raw(int fd) {
        termios now{};
        return ::tcgetattr(fd, &now) == 0 && (now.c_lflag & (ICANON | ECHO | ISIG)) == 0;
    }
    // In a process whose controlling terminal the slave is; its wait status.
    int inside(const std::function<bool()>& check) const {
        const pid_t child = ::fork();
        if (child == 0) {
            ::setsid();
            ::ioctl(slave_, TIOCSCTTY, 0);
            ::_exit(check() ? 0 : 1);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        return status;
    }

private slots:
    void init() { QCOMPARE(::openpty(&master_, &slave_, nullptr, nullptr, nullptr), 0); }
    void cleanup() {
        ::close(master_);
        ::close(slave_);
    }

    void it_is_raw_while_taken_and_as_before_afterwards() {
        QCOMPARE(inside([this] {
                     UserTerminal terminal(slave_, true);
                     const bool before = !is_raw(slave_) && !terminal.may_read();
                     terminal.take();
                     return before && is_raw(slave_) && terminal.may_read();
                 }),
                 0);
        QVERIFY(!is_raw(slave_));
    }
    void a_crash_gives_it_back() {
        const int status = inside([this] {
            UserTerminal terminal(slave_, true);
            terminal.take();
            ::raise(SIGSEGV);
            return true;
        });
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
        QVERIFY(!is_raw(slave_));
    }
    void in_a_pipeline_it_is_left_alone_and_its_keys_are_read_while_nobody_has_taken_it_over() {
        QCOMPARE(inside([this] {
                     UserTerminal terminal(slave_, false);
                     terminal.take();
                     if (is_raw(slave_) || !terminal.may_read()) return false;
                     termios pager{};
                     ::tcgetattr(slave_, &pager);
                     pager.c_lflag &= ~static_cast<tcflag_t>(ICANON);
                     ::tcsetattr(slave_, TCSANOW, &pager);
                     return !terminal.may_read();
                 }),
                 0);
    }
    void from_the_background_it_is_neither_taken_nor_read() {
        QCOMPARE(inside([this] {
                     const pid_t job = ::fork();
                     if (job == 0) {
                         ::setpgid(0, 0);
                         UserTerminal terminal(slave_, true);
                         terminal.take();
                         ::_exit(!terminal.in_foreground() && !is_raw(slave_) && !terminal.may_read() ? 0 : 1);
                     }
                     int status = -1;
                     ::waitpid(job, &status, 0);
                     return status == 0;
                 }),
                 0);
    }
    void its_size_is_told_and_a_terminal_without_one_has_the_usual() {
        const UserTerminal terminal(slave_, false);
        QCOMPARE(terminal.size().rows, 24u);
        const winsize size{50, 170, 0, 0};
        QCOMPARE(::ioctl(master_, TIOCSWINSZ, &size), 0);
        QCOMPARE(terminal.size().rows, 50u);
        QCOMPARE(terminal.size().columns, 170u);
    }
};
QTEST_GUILESS_MAIN(TestUserTerminal)
#include "test_cli_user_terminal.moc"
