// The list of sessions: what lives stands first, and what stays keeps its place in a view.
#include "app/desktop/sessions/session_filter.h"

#include <QAbstractItemModelTester>
#include <QtTest>

using namespace belljar;

namespace {

SessionRow row(const char* id, SessionState state, std::int64_t started) {
    SessionRow out;
    out.id = id;
    out.name = std::string("name of ") + id;
    out.state = state;
    out.started_us = started;
    return out;
}

} // namespace

class TestSessionsModel : public QObject {
    Q_OBJECT
    QStringList ids(const SessionsModel& model) {
        QStringList out;
        for (int i = 0; i < model.rowCount(); ++i)
            out << model.data(model.index(i), SessionsModel::IdRole).toString();
        return out;
    }

private slots:
    void what_lives_stands_before_what_ended() {
        SessionsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(!model.known());
        model.take({row("c", SessionState::Ended, 3), row("b", SessionState::Running, 2), row("a", SessionState::Lost, 1)}, {});
        QCOMPARE(ids(model), QStringList({"b", "c", "a"}));
        QCOMPARE(model.live(), 1);
        QVERIFY(model.known());
    }

    void a_selected_row_stays_selected_when_others_come_end_and_go() {
        SessionsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.take({row("b", SessionState::Running, 2), row("a", SessionState::Running, 1)}, {});
        const QPersistentModelIndex selected(model.index(1));
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.take({row("d", SessionState::Running, 4), row("c", SessionState::Starting, 3), row("b", SessionState::Ended, 2),
                    row("a", SessionState::Running, 1)}, {});
        QCOMPARE(ids(model), QStringList({"d", "c", "a", "b"}));
        QCOMPARE(selected.data(SessionsModel::IdRole).toString(), QString("a"));
        model.take({row("a", SessionState::Running, 1)}, {});
        QCOMPARE(selected.row(), 0);
        QCOMPARE(resets.count(), 0);
    }

    void only_what_changed_is_drawn_anew() {
        SessionsModel model;
        SessionRows rows{row("b", SessionState::Running, 2), row("a", SessionState::Running, 1)};
        model.take(rows, {});
        QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
        model.take(rows, {});
        QCOMPARE(changes.count(), 0);
        rows[1].totals.denied = 3;
        model.take(rows, {});
        QCOMPARE(changes.count(), 1);
        QCOMPARE(changes[0][0].toModelIndex().row(), 1);
        QCOMPARE(model.data(model.index(1), SessionsModel::DeniedRole).toULongLong(), 3ULL);
    }

    void a_filter_finds_words_in_any_order_and_keeps_up() {
        SessionsModel model;
        SessionFilter filter;
        QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
        filter.set_sessions(&model);
        SessionRows rows{row("b", SessionState::Running, 2), row("a", SessionState::Ended, 1)};
        rows[0].command = "claude --print";
        rows[0].workspace = "/home/mira/Lantern";
        model.take(rows, {});
        filter.set_text("lantern CLAUDE");
        QCOMPARE(filter.count(), 1);
        QCOMPARE(filter.session("b").value("command").toString(), QString("claude --print"));
        QCOMPARE(filter.row_of("a"), -1);
        rows[0].command = "codex";
        model.take(rows, {});
        QCOMPARE(filter.count(), 0);
        filter.set_text("");
        filter.set_live_only(true);
        QCOMPARE(filter.id_at(0), QString("b"));
        rows[0].state = SessionState::Ended;
        model.take(rows, {});
        QCOMPARE(filter.count(), 0);
    }

    void a_damaged_index_is_a_sentence_and_not_an_empty_desk_without_a_word() {
        SessionsModel model;
        QSignalSpy notices(&model, &SessionsModel::noticeChanged);
        model.take({}, "the index was damaged");
        QCOMPARE(notices.count(), 1);
        QCOMPARE(model.notice(), QString("the index was damaged"));
    }
};

QTEST_GUILESS_MAIN(TestSessionsModel)
#include "test_sessions_model.moc"
