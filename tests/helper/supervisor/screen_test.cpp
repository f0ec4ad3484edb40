// What a terminal's screen is drawn anew from: drawn on an emulator that is not ours (libvterm) it must show the same as that
// emulator does when it reads all of the output, wherever this was cut, and however much of a flood we never looked at.
#include "helper/supervisor/screen.h"

#include <QElapsedTimer>
#include <QTest>
#include <fmt/format.h>
#include <vterm.h>

using namespace belljar;

namespace {

// A terminal that takes everything in, as the user's does.
struct Plain {
    VTerm* emulator;
    VTermScreen* cells;
    int rows, columns;
    Plain(int rows_, int columns_) : emulator(vterm_new(rows_, columns_)), rows(rows_), columns(columns_) {
        vterm_set_utf8(emulator, 1);
        cells = vterm_obtain_screen(emulator);
        vterm_screen_enable_altscreen(cells, 1);
        vterm_screen_reset(cells, 1);
    }
    ~Plain() { vterm_free(emulator); }
    Plain(const Plain&) = delete;
    Plain& operator=(const Plain&) = delete;
    void write(const std::string& bytes) { vterm_input_write(emulator, bytes.data(), bytes.size()); }
    // Everything one sees.
    std::string shown() {
        VTermPos cursor{};
        vterm_state_get_cursorpos(vterm_obtain_state(emulator), &cursor);
        std::string out;
        for (int row = 0; row < rows; ++row, out += "\n")
            for (int column = 0; column < columns; ++column) {
                VTermScreenCell cell{};
                vterm_screen_get_cell(cells, {row, column}, &cell);
                if (cell.chars[0] == 0) cell.chars[0] = ' ';
                for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; ++i)
                    out += fmt::format("{:x} ", cell.chars[i]);
                const bool blank = cell.chars[0] == ' ' && !cell.attrs.reverse && !cell.attrs.underline && !cell.attrs.strike;
                if (!blank)
                    out += fmt::format("{}{}{}{}{}{}f{}", int(cell.attrs.bold), int(cell.attrs.italic), int(cell.attrs.blink),
                                       int(cell.attrs.reverse), int(cell.attrs.strike), int(cell.attrs.underline),
                                       colour(cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg)));
                out += "b" + colour(cell.bg, VTERM_COLOR_IS_DEFAULT_BG(&cell.bg)) + "|";
            }
        return out + fmt::format("cursor {} {}", cursor.row, cursor.col);
    }
    static std::string colour(const VTermColor& colour, bool is_default) {
        if (is_default) return "-";
        if (VTERM_COLOR_IS_INDEXED(&colour)) return fmt::format("{}", unsigned(colour.indexed.idx));
        return fmt::format("#{:02x}{:02x}{:02x}", unsigned(colour.rgb.red), unsigned(colour.rgb.green), unsigned(colour.rgb.blue));
    }
};

std::string shown_by_painting(const std::string& output, std::size_t piece, TerminalSize size = {6, 20}) {
    Screen screen(size);
    for (std::size_t at = 0; at < output.size(); at += piece) {
        while (screen.is_behind())
            screen.catch_up();
        screen.feed(std::string_view(output).substr(at, piece));
    }
    Plain plain(static_cast<int>(size.rows), static_cast<int>(size.columns));
    plain.write("what was there before\r\n");
    plain.write(screen.paint(0));
    plain.write("+"); // what the next character looks like
    return plain.shown();
}

std::string shown_by_reading(const std::string& output, TerminalSize size = {6, 20}) {
    Plain plain(static_cast<int>(size.rows), static_cast<int>(size.columns));
    plain.write(output);
    plain.write("+");
    return plain.shown();
}

std::string modes_after(const std::string& output) {
    TerminalModes modes;
    modes.feed(output);
    return modes.restore(0, 0);
}

std::string undone(const std::string& output) {
    TerminalModes modes;
    modes.feed(output);
    return modes.undo();
}

} // namespace

class ScreenTest : public QObject {
    Q_OBJECT
private slots:
    void what_is_drawn_anew_is_what_was_shown_data() {
        QTest::addColumn<QByteArray>("output");
        QTest::newRow("text") << QByteArray("one\r\ntwo\r\nthree");
        QTest::newRow("colours") << QByteArray("\x1b[1;31mred\x1b[0m \x1b[38;5;200;48;2;1;2;3mx\x1b[7mY\x1b[4;9mz");
        QTest::newRow("a coloured end of a line") << QByteArray("\x1b[44mblue\x1b[K\r\n\x1b[0mnot");
        QTest::newRow("wide and combined") << QByteArray("日本 e\xcc\x81 \xf0\x9f\x98\x80!");
        QTest::newRow("scrolled") << QByteArray("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9");
        QTest::newRow("a region") << QByteArray("top\x1b[2;4r\x1b[2;1Ha\r\nb\r\nc\r\nd\r\ne\x1b[6;3Hlow");
        QTest::newRow("a full line") << QByteArray("12345678901234567890\r\nx");
        QTest::newRow("lines drawn") << QByteArray("\x1b(0lqqk\x1b(B\r\nx");
        QTest::newRow("the alternate screen") << QByteArray("main\r\n\x1b[?1049h\x1b[2J\x1b[3;3Hother");
        QTest::newRow("and back") << QByteArray("main\r\n\x1b[?1049h\x1b[2J\x1b[3;3Hother\x1b[?1049l$ ");
        QTest::newRow("insert and delete") << QByteArray("abcdef\x1b[3G\x1b[2@XY\x1b[1P\r\n12345\x1b[2D\x1b[1X\x1b[1;1H\x1b[L\x1b[3;1H"
                                                         "last\x1b[M\x1b[4hins\x1b[4l");
        QTest::newRow("moves, tabs, erasure") << QByteArray("a\tb\tc\x1b[2;5Hd\x1b[A\x1b[3Ce\x1b[5d\x1b[1J\x1b[EZ\x1b[2SY\x1b[T\x1b" "M.");
        QTest::newRow("saved and restored") << QByteArray("ab\x1b[31m\x1b" "7\x1b[5;5H\x1b[0mx\x1b" "8y\x1b[?6h\x1b[2;3r!");
        QTest::newRow("no wrap") << QByteArray("\x1b[?7l") + QByteArray(30, 'n') + "e\x1b[?7h";
        QTest::newRow("progress") << QByteArray("a\r\nb\r\n\x1b[2A\x1b[2Knew\r\n\x1b[1B\rend");
        QTest::newRow("bytes that are no text") << QByteArray("\xff\xfe\x80 \x01\x02 \x1b[999;999Hx\x1b]0;t\x07!");
    }
    void what_is_drawn_anew_is_what_was_shown() {
        QFETCH(QByteArray, output);
        const std::string bytes = output.toStdString();
        for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{4096}})
            QCOMPARE(shown_by_painting(bytes, piece), shown_by_reading(bytes));
    }

    // Of which the most is thrown away unseen.
    void a_flood_leaves_the_same_screen_as_if_all_of_it_had_been_looked_at_data() {
        QTest::addColumn<QByteArray>("begin");
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("end");
        QTest::newRow("lines") << QByteArray("old\r\nolder") << QByteArray("some text 12\r\n") << QByteArray("$ ");
        QTest::newRow("lines that wrap") << QByteArray() << QByteArray(50, 'w') + "\r\n" << QByteArray("half");
        QTest::newRow("colours that stay on") << QByteArray("\x1b[1mbold") << QByteArray("\x1b[32mgreen\x1b[K\r\n")
                                              << QByteArray("\x1b[22mstill");
        QTest::newRow("one endless line") << QByteArray("begin\r\n") << QByteArray("0123456789abcdefg") << QByteArray();
        QTest::newRow("line feeds alone") << QByteArray("x\r\n") << QByteArray("stairs\n") << QByteArray("\r.");
        QTest::newRow("within a region") << QByteArray("kept\x1b[2;4r\x1b[4;1H") << QByteArray("line\r\n") << QByteArray("e");
        QTest::newRow("over an old screen") << QByteArray("\x1b[2J\x1b[5;5Hmiddle\x1b[H") << QByteArray("l\r\n")
                                            << QByteArray();
        QTest::newRow("cursor moves") << QByteArray() << QByteArray("\x1b[2;2Hab\x1b[31mc\r\n") << QByteArray("\x1b[mz");
    }
    void a_flood_leaves_the_same_screen_as_if_all_of_it_had_been_looked_at() {
        QFETCH(QByteArray, begin);
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, end);
        for (const int times : {9000, 9001, 40007}) {
            const std::string bytes = (begin + line.repeated(times) + end).toStdString();
            QCOMPARE(shown_by_painting(bytes, 4093), shown_by_reading(bytes));
        }
    }

    void a_flood_of_lines_is_not_looked_at() {
        Screen screen({24, 80});
        const std::string lines = [] {
            std::string all;
            while (all.size() < 65536)
                all += "some text that a program prints in a loop without an end\r\n";
            return all;
        }();
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 1600; ++i) { // 100 MiB: 8 s if all of it went through libvterm
            QVERIFY(!screen.is_behind());
            screen.feed(lines);
        }
        QVERIFY2(timer.elapsed() < 4000, qPrintable(QString::number(timer.elapsed())));
    }

    void after_a_resize_it_is_drawn_in_the_new_size() {
        Screen screen({6, 20});
        screen.feed("one\r\ntwo");
        screen.resize({3, 10});
        screen.feed("\r\nthree\r\nfour");
        const std::string shown = screen.paint(0);
        QVERIFY(shown.find("\x1b[2;1Hthree") != std::string::npos && shown.find("\x1b[3;1Hfour") != std::string::npos);
        screen.resize({60000, 60000}); // not emulated, and no memory is taken for it
        screen.feed("x");
        QVERIFY(screen.paint(0).size() < 200);
        screen.resize({6, 20});
        screen.feed("\x1b[Hhere");
        QVERIFY(screen.paint(0).find("here") != std::string::npos);
    }

    // A region beyond the new size made libvterm write outside of its memory.
    void a_resize_gives_up_the_scroll_region() {
        Screen screen({16, 24});
        screen.feed("\x1b[5;12r\x1b[?6h\x1b[5;1Hbelow");
        screen.resize({1, 33});
        for (int i = 0; i < 50; ++i)
            screen.feed("line\r\n");
        screen.feed("\x1b[Hend");
        const std::string painted = screen.paint(0);
        QVERIFY(painted.find("end") != std::string::npos);
        QVERIFY(painted.find('r') == std::string::npos);
    }

    void modes_are_given_to_who_comes_later() {
        QCOMPARE(modes_after("text only"), std::string("\x1b[1;1H"));
        const std::string modes = modes_after("\x1b[?1;2004h\x1b[?1002h\x1b[?1006h\x1b[?25l\x1b=\x1b[4 q\x1b[>4;2m");
        for (const char* each : {"\x1b[?1h", "\x1b[?2004h", "\x1b[?1002h", "\x1b[?1006h", "\x1b[?25l", "\x1b=",
                                 "\x1b[4 q", "\x1b[>4;2m"})
            QVERIFY2(modes.find(each) != std::string::npos, each);
        QCOMPARE(modes_after("\x1b[?2004h\x1b[?2004l\x1b[?25l\x1b[?25h"), std::string("\x1b[1;1H"));
        QCOMPARE(modes_after("\x1b[?1000h\x1b[?1h\x1b" "c"), std::string("\x1b[1;1H"));
    }

    void what_was_switched_on_is_taken_back_and_nothing_else_is_said() {
        QCOMPARE(undone("text \x1b[31mred\x1b[m and \x1b]0;title\x07 more"), std::string());
        QCOMPARE(undone("\x1b[?1049h\x1b[?25l"), std::string("\x1b[?25h\x1b[?1049l"));
        QCOMPARE(undone("\x1b[?2004h"), std::string("\x1b[?2004l"));
        QCOMPARE(undone("\x1b[>1u"), std::string("\x1b[<1u"));
        // In the midst of a sequence: ended first.
        QVERIFY(undone("\x1b[?2004h\x1b]0;unfinished").starts_with('\x18'));
    }

    void odd_sequences_do_no_harm_and_are_not_shown() {
        const std::string odd = "a\x1b[" + std::string(40, ';') + "mb\x1b[99999999999999999999C\x1b[99999999999999999999Dc" +
                                "\r\n\x1b[;;;;H\x1b[1;2$zd\x1b[?;h\x1b[9999;9999r\x1b[3;2re\x1b]no end";
        QVERIFY(shown_by_painting(odd, 1) == shown_by_painting("d\x1b[2;1H\x1b[1;1Hde", 1) ||
                shown_by_painting(odd, 1).find("no end") == std::string::npos);
        QCOMPARE(shown_by_painting("x\x1b[999b", 7), shown_by_painting(std::string(121, 'x'), 7));
    }

    // What could speak to the user's terminal, clipboard or title does not come out again.
    void nothing_but_text_and_modes_is_ever_drawn() {
        Screen screen({6, 40});
        screen.feed("\x1b]52;c;ZXZpbA==\x07\x1b]0;evil\x07\x1bP$q\"p\x1b\\\x1b[6n\x1b[c\x1b[21t\xc2\x9b" "31mshown\x7f");
        const std::string painted = screen.paint(0);
        for (const char* each : {"\x1b]", "\x1bP", "evil", "[6n", "[c", "21t", "\xc2\x9b", "\x7f"})
            QVERIFY2(painted.find(each) == std::string::npos, each);
        QVERIFY(painted.find("shown") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ScreenTest)
#include "screen_test.moc"
