// The program belljar-filter, and the files that the build made with it.
#include "core/syscalls/filter.h"
#include "core/system/files.h"
#include "core/system/programs.h"

#include <QProcess>
#include <QtTest>
#include <nlohmann/json.hpp>

using namespace belljar;

namespace {

struct Outcome {
    int status = -1;
    QByteArray output, errors;
};

Outcome run(const QStringList& arguments) {
    QProcess process;
    process.start(QString::fromStdString(program_path("belljar-filter")), arguments);
    process.waitForFinished(30000);
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QByteArray bytes_of(const SyscallSpec& spec) {
    const auto program = build_filter(spec).value();
    return QByteArray(reinterpret_cast<const char*>(program.data()),
                      static_cast<qsizetype>(program.size() * sizeof(sock_filter)));
}

} // namespace

class FilterProgramTest : public QObject {
    Q_OBJECT
private slots:
    void the_built_profiles_are_what_the_library_builds() {
        for (const char* profile : {"default", "strict"}) {
            const auto file = read_file(data_path(std::string("seccomp/") + profile + ".bpf"));
            QVERIFY2(file.has_value(), file ? "" : file.error().message().c_str());
            QVERIFY(QByteArray::fromStdString(*file) == bytes_of(SyscallSpec{profile, {}, {}}));
        }
        SyscallSpec nested;
        nested.nested = true;
        QVERIFY(QByteArray::fromStdString(*read_file(data_path("seccomp/default-nested.bpf"))) == bytes_of(nested));
        QCOMPARE(run({"--nested"}).output, bytes_of(nested));
    }

    void options_make_the_spec() {
        const Outcome outcome = run({"--profile", "strict", "--allow", "ptrace", "--allow", "kcmp", "--deny", "mkdir"});
        QCOMPARE(outcome.status, 0);
        QVERIFY(outcome.output == bytes_of(SyscallSpec{"strict", {"ptrace", "kcmp"}, {"mkdir"}}));
    }

    void json_has_every_instruction() {
        const auto list = nlohmann::json::parse(run({"--json"}).output.toStdString());
        const auto program = build_filter(SyscallSpec{}).value();
        QCOMPARE(list.size(), program.size());
        QCOMPARE(list.at(1).at("k").get<std::uint32_t>(), program.at(1).k);
    }

    void the_explanation_is_a_table_with_a_line_for_each_call() {
        const QByteArray table = run({"--explain", "--profile", "strict"}).output;
        QVERIFY(
            QRegularExpression("^ +101  ptrace +denied$", QRegularExpression::MultilineOption).match(table).hasMatch());
        QVERIFY(
            QRegularExpression("^ +0  read +allowed$", QRegularExpression::MultilineOption).match(table).hasMatch());
        QVERIFY(
            QRegularExpression("^ +42  connect +asked ", QRegularExpression::MultilineOption).match(table).hasMatch());
        QVERIFY(QRegularExpression("^ +435  clone3 +missing ", QRegularExpression::MultilineOption)
                    .match(table)
                    .hasMatch());
    }

    void a_mistake_is_one_line_and_no_program_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("unknown call") << QStringList{"--allow", "nope"};
        QTest::newRow("unknown profile") << QStringList{"--profile", "nope"};
        QTest::newRow("missing name") << QStringList{"--allow"};
        QTest::newRow("unknown option") << QStringList{"--nope"};
        QTest::newRow("no option") << QStringList{"default"};
        QTest::newRow("control characters") << QStringList{"--allow", "a\x1b[31m\nb"};
    }
    void a_mistake_is_one_line_and_no_program() {
        QFETCH(QStringList, arguments);
        const Outcome outcome = run(arguments);
        QCOMPARE(outcome.status, 1);
        QVERIFY(outcome.output.isEmpty());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QVERIFY(!outcome.errors.contains('\x1b'));
    }

    void a_full_disk_is_an_error() {
        QProcess process;
        process.setStandardOutputFile("/dev/full");
        process.start(QString::fromStdString(program_path("belljar-filter")), QStringList());
        QVERIFY(process.waitForFinished(30000));
        QCOMPARE(process.exitCode(), 1);
    }
};

QTEST_GUILESS_MAIN(FilterProgramTest)
#include "filter_program_test.moc"
