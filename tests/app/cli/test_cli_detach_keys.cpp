// Which keys leave a session, told apart from keys that are typed.
#include "app/cli/detach_keys.h"

#include <QTest>

using namespace belljar::cli;
using namespace std::chrono_literals;

class TestCliDetachKeys : public QObject {
    Q_OBJECT
    const DetachKeys::Clock::time_point now{1s};
private slots:
    void names_are_read_as_people_know_them() {
        for (const char* good : {"ctrl-]", "ctrl-p,ctrl-q", "none", "ctrl-A", "ctrl-\\,d", "~"})
            QVERIFY2(DetachKeys::parse(good).has_value(), good);
        for (const char* bad : {"", "ctrl-", "ctrl-]]", "strg-a", "ctrl-p,", "a,,b", "ctrl-1", "a,b,c,d,e,f,g,h,i"})
            QVERIFY2(!DetachKeys::parse(bad).has_value(), bad);
    }

    void pressed_once_they_detach_after_a_moment() {
        auto keys = *DetachKeys::parse("ctrl-]");
        QCOMPARE(keys.type("abc\x1d", now), std::string("abc"));
        QVERIFY(!keys.pressed() && keys.deadline());
        QCOMPARE(keys.expire(now + 100ms), std::string());
        QVERIFY(!keys.pressed());
        QCOMPARE(keys.expire(now + 400ms), std::string());
        QVERIFY(keys.pressed() && !keys.deadline());
    }

    void pressed_twice_they_are_typed_once() {
        auto keys = *DetachKeys::parse("ctrl-]");
        QCOMPARE(keys.type("\x1d", now), std::string());
        QCOMPARE(keys.type("\x1d", now + 100ms), std::string("\x1d"));
        QVERIFY(!keys.deadline() && !keys.pressed());
        QCOMPARE(keys.type("\x1d\x1d", now), std::string("\x1d"));
        QVERIFY(!keys.deadline() && !keys.pressed());
    }

    void another_key_behind_them_does_not_change_that_they_were_pressed() {
        auto keys = *DetachKeys::parse("ctrl-]");
        (void)keys.type("\x1d", now);
        QCOMPARE(keys.type("x", now + 10ms), std::string());
        QVERIFY(keys.pressed());
    }

    void in_the_midst_of_a_paste_they_are_keys_like_others() {
        auto keys = *DetachKeys::parse("ctrl-]");
        QCOMPARE(keys.type("a\x1d" "b", now), std::string("a\x1d" "b"));
        QVERIFY(!keys.pressed() && !keys.deadline());
    }

    void a_first_key_without_its_second_is_typed() {
        auto keys = *DetachKeys::parse("ctrl-p,ctrl-q");
        QCOMPARE(keys.type("\x10", now), std::string());
        QCOMPARE(keys.type("x", now), std::string("\x10x"));
        QCOMPARE(keys.type("\x10", now), std::string());
        QCOMPARE(keys.expire(now + 2s), std::string("\x10"));
        QVERIFY(!keys.pressed());
        QCOMPARE(keys.type("\x10", now), std::string());
        QCOMPARE(keys.type("\x11", now), std::string());
        (void)keys.expire(now + 2s);
        QVERIFY(keys.pressed());
    }

    void none_are_none() {
        auto keys = *DetachKeys::parse("none");
        QCOMPARE(keys.type("\x1d", now), std::string("\x1d"));
        QVERIFY(!keys.deadline());
    }
};

QTEST_GUILESS_MAIN(TestCliDetachKeys)
#include "test_cli_detach_keys.moc"
