// Tables and colours, and nothing in them that a terminal would obey.
#include "app/cli/output.h"

#include <QtTest>
#include <unistd.h>

using namespace belljar::cli;

class TestOutput : public QObject {
    Q_OBJECT
private slots:
    void a_table_lines_up_and_shows_what_would_steer_a_terminal() {
        const std::string text = table({"ID", "NAME"}, {{{"1"}, {"a\033[2Jb"}}, {{"22"}, {"c"}}}, false);
        QCOMPARE(text, std::string("ID  NAME\n1   a\\x1b[2Jb\n22  c\n"));
    }
    void a_table_counts_letters_and_not_bytes() {
        QCOMPARE(table({"N", "X"}, {{{"é"}, {"1"}}, {{"ab"}, {"2"}}}, false), std::string("N   X\né   1\nab  2\n"));
    }
    void colours_stand_only_where_they_are_wanted() {
        QCOMPARE(tinted("x", Tint::Bad, false), std::string("x"));
        QCOMPARE(tinted("x", Tint::Bad, true), std::string("\033[31mx\033[0m"));
        QCOMPARE(tinted("x", Tint::None, true), std::string("x"));
    }
    void a_pipe_gets_no_colours() {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        QVERIFY(!wants_colour(ends[1]));
    }
};
QTEST_GUILESS_MAIN(TestOutput)
#include "test_cli_output.moc"
