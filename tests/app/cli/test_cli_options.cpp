// How one command's line is read: what belongs to Belljar, what to the command inside, and what is refused.
#include "app/cli/options.h"

#include <QtTest>

using namespace belljar;
using namespace belljar::cli;
using Words = std::vector<std::string>;

class TestOptions : public QObject {
    Q_OBJECT
    struct Read {
        std::string folder;
        Words allow, argv;
        bool quiet = false;
        Result<Options::Parsed> parsed;
    };
    static Read read(Words words) {
        Read read{{}, {}, {}, false, Options::Parsed::Run};
        Options options("belljar run [OPTION]… [--] COMMAND", "Runs", "  example");
        options.value("-C,--directory", read.folder, ValueKind::Folder, "where");
        options.values("--allow", read.allow, ValueKind::Host, "whom");
        options.flag("-q,--quiet", read.quiet, "silently");
        options.command_line(read.argv);
        read.parsed = options.parse(std::move(words));
        return read;
    }
    static std::string error_of(Words words) {
        const auto read_words = read(std::move(words));
        return read_words.parsed ? std::string() : read_words.parsed.error().message();
    }

private slots:
    void everything_behind_the_command_is_the_command_s() {
        const auto with_mark = read({"-q", "-C", "/w", "--", "ls", "-C", "--quiet", "--", "-x"});
        QVERIFY(with_mark.parsed.has_value());
        QCOMPARE(with_mark.argv, Words({"ls", "-C", "--quiet", "--", "-x"}));
        QCOMPARE(with_mark.folder, std::string("/w"));
        QVERIFY(with_mark.quiet);
        const auto without = read({"-C/w", "ls", "-q", "--help"});
        QVERIFY(without.parsed.has_value());
        QCOMPARE(without.argv, Words({"ls", "-q", "--help"}));
        QVERIFY(!without.quiet);
    }
    void a_command_may_begin_with_a_dash_behind_the_mark() { QCOMPARE(read({"--", "-odd"}).argv, Words({"-odd"})); }
    void arguments_are_kept_to_the_byte() {
        const Words odd{"", " ", "[a,b]", "\xff\xfe", "é\n", "%%", "++", "--"};
        Words line{"--", "x"};
        line.insert(line.end(), odd.begin(), odd.end());
        const auto got = read(line);
        QVERIFY(got.parsed.has_value());
        QCOMPARE(Words(got.argv.begin() + 1, got.argv.end()), odd);
    }
    void a_repeatable_option_takes_one_word_each_time() {
        const auto got = read({"--allow", "a.example", "--allow=b.example:22", "--allow", "[2001:db8::]/32:443", "ls"});
        QVERIFY(got.parsed.has_value());
        QCOMPARE(got.allow, Words({"a.example", "b.example:22", "[2001:db8::]/32:443"}));
        QCOMPARE(got.argv, Words({"ls"}));
    }
    void help_is_help_wherever_it_stands_before_the_command() {
        for (const Words& words : {Words{"--help"}, Words{"-q", "-h"}}) {
            const auto got = read(words);
            QVERIFY(got.parsed.has_value());
            QVERIFY(*got.parsed == Options::Parsed::Help);
        }
    }
    void what_is_wrong_is_named_with_what_was_meant_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("expected");
        QTest::newRow("an unknown option") << QStringList{"--alow", "x", "ls"} << "did you mean '--allow'?";
        QTest::newRow("an unknown option with a value") << QStringList{"--alow=x", "ls"} << "did you mean '--allow'?";
        QTest::newRow("an unknown letter") << QStringList{"-Z", "ls"} << "unknown option '-Z'";
        QTest::newRow("a value that is missing") << QStringList{"-C"} << "--directory";
        QTest::newRow("what would steer a terminal") << QStringList{"--\033[2J"} << "\\x1b[2J";
    }
    void what_is_wrong_is_named_with_what_was_meant() {
        QFETCH(QStringList, words);
        QFETCH(QString, expected);
        Words line;
        for (const QString& word : words)
            line.push_back(word.toStdString());
        const QString error = QString::fromStdString(error_of(line));
        QVERIFY2(error.contains(expected), qPrintable(error));
        QVERIFY2(error.startsWith("run: "), qPrintable(error));
        QVERIFY(!error.contains('\n') && !error.contains('\033'));
    }
    void too_many_and_too_few_words_are_refused() {
        std::string id;
        Options one("belljar show ID", "Shows", "");
        one.positional("ID", id, ValueKind::Session, "which");
        QVERIFY(!one.parse({}).has_value());
        Options other("belljar show ID", "Shows", "");
        other.positional("ID", id, ValueKind::Session, "which");
        QVERIFY(!other.parse({"a", "b"}).has_value());
    }
};
QTEST_GUILESS_MAIN(TestOptions)
#include "test_cli_options.moc"
