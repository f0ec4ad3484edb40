// Placing descriptors before an exec: the planned ones at their numbers, nothing else open.

#include "helper/builder/descriptors.h"

#include "core/system/descriptor_passing.h"
#include "core/system/files.h"

#include <QtTest>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace belljar;

class TestDescriptors : public QObject {
    Q_OBJECT
private slots:
    void planned_descriptors_arrive_even_when_their_numbers_cross_and_no_other_is_inherited() {
        auto verdict = make_pipe();
        const pid_t child = ::fork();
        if (child == 0) {
            // Two files whose numbers are each other's targets, and one that nobody planned.
            ::dup2(::fcntl(verdict->second.get(), F_DUPFD, 40), STDOUT_FILENO);
            for (const auto& [number, text] : {std::pair{7, "seven"}, {8, "eight"}, {9, "unplanned"}}) {
                int ends[2];
                if (::pipe(ends) != 0 || ::write(ends[1], text, std::strlen(text)) < 0) ::_exit(1);
                const int high = ::fcntl(ends[0], F_DUPFD, 40);
                for (const int end : ends) ::close(end);
                ::dup2(high, number);
            }
            const PlacedFd placed[] = {{7, 8}, {8, 7}};
            if (!place_descriptors(placed)) ::_exit(1);
            ::execlp("sh", "sh", "-c", "cat <&7; echo; cat <&8; echo; ls /proc/self/fd | grep -cE '^(9|[1-9][0-9]+)$'", nullptr);
            ::_exit(1);
        }
        verdict->second.reset();
        const auto text = read_all(verdict->first.get(), "the child's output");
        ::waitpid(child, nullptr, 0);
        QVERIFY(text);
        QCOMPARE(QString::fromStdString(*text), QString("eight\nseven\n0\n"));
    }
};

QTEST_GUILESS_MAIN(TestDescriptors)
#include "test_descriptors.moc"
