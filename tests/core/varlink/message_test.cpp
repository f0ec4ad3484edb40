#include "core/varlink/message.h"

#include <QtTest>

using namespace belljar;
using namespace belljar::varlink;

namespace {

// JSON is easier to read here with single quotes.
QByteArray quoted(QByteArray text) {
    return text.replace('\'', '"');
}
Result<Call> read_call(const QByteArray& text) {
    return parse_call(text.toStdString());
}

} // namespace

class MessageTest : public QObject {
    Q_OBJECT
private slots:
    void a_call_survives_the_wire() {
        Call call;
        call.method = "org.example.Do";
        call.parameters = {{"text", "a\0b\"\\\n"}, {"number", -5}};
        call.more = true;
        std::string bytes = encode(call);
        QCOMPARE(bytes.back(), '\0');
        QCOMPARE(std::ranges::count(bytes, '\0'), 1);
        bytes.pop_back();
        const auto read = parse_call(bytes);
        QVERIFY(read.has_value());
        QCOMPARE(read->method, call.method);
        QVERIFY(read->parameters == call.parameters);
        QVERIFY(read->more && !read->oneway && !read->upgrade);
    }

    void a_reply_survives_the_wire() {
        std::string bytes = encode(Reply{{{"x", 1.5}}, true, {}});
        bytes.pop_back();
        const auto read = parse_reply(bytes);
        QVERIFY(read.has_value());
        QVERIFY(read->continues && read->error.empty() && read->parameters == json({{"x", 1.5}}));
    }

    void bytes_that_are_not_UTF_8_leave_as_replacement_characters() {
        const std::string bytes = encode(Reply{{{"path", "/tmp/\xff\xfe"}}, false, {}});
        QVERIFY(bytes.find("/tmp/\xEF\xBF\xBD") != std::string::npos);
    }

    void a_malformed_call_is_refused_data() {
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const QByteArray& message) { QTest::newRow(name) << message; };
        row("nothing", "");
        row("blank", " ");
        row("no object", "[]");
        row("a string", "\"org.example.Do\"");
        row("cut short", quoted("{'method':'a.B'"));
        row("something behind", quoted("{'method':'a.B'} x"));
        row("no method", quoted("{'parameters':{}}"));
        row("an empty method", quoted("{'method':''}"));
        row("a method that is no string", quoted("{'method':1}"));
        row("parameters that are no object", quoted("{'method':'a.B','parameters':[]}"));
        row("more that is no boolean", quoted("{'method':'a.B','more':1}"));
        row("oneway and more", quoted("{'method':'a.B','more':true,'oneway':true}"));
        row("oneway and upgrade", quoted("{'method':'a.B','upgrade':true,'oneway':true}"));
        row("a member of its own", quoted("{'method':'a.B','flags':0}"));
        row("a reply's member", quoted("{'method':'a.B','continues':true}"));
        row("invalid UTF-8", "{\"method\":\"a.B\xff\"}");
        row("an overlong NUL", "{\"method\":\"a.B\xc0\x80\"}");
        row("half a surrogate pair", quoted("{'method':'a.B\\ud800'}"));
        row("a comment", quoted("{'method':'a.B'/* */}"));
        row("a depth bomb", quoted("{'method':'a.B','parameters':{'a':") + QByteArray(1 << 20, '['));
        row("an object depth bomb", quoted("{'method':'a.B','parameters':") + quoted("{'a':").repeated(100000));
        row("too many elements",
            quoted("{'method':'a.B','parameters':{'a':[") + QByteArray("[],").repeated(1 << 18) + "[]]}}");
        row("more than is taken", quoted("{'method':'") + QByteArray(static_cast<int>(kMaxMessageBytes), 'a') + "\"}");
    }
    void a_malformed_call_is_refused() {
        QFETCH(QByteArray, message);
        QVERIFY(!parse_call(message.toStdString()).has_value());
    }

    void a_malformed_reply_is_refused_data() {
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("a call's member") << quoted("{'method':'a.B'}");
        QTest::newRow("an error that continues") << quoted("{'error':'a.B','continues':true}");
        QTest::newRow("an empty error") << quoted("{'error':''}");
        QTest::newRow("parameters that are a string") << quoted("{'parameters':'x'}");
    }
    void a_malformed_reply_is_refused() {
        QFETCH(QByteArray, message);
        QVERIFY(!parse_reply(message.toStdString()).has_value());
    }

    void nesting_up_to_the_cap_is_taken_and_one_more_is_not() {
        // The message itself and `parameters` are two levels.
        const auto nested = [](int levels) {
            return quoted("{'method':'a.B','parameters':{'a':") + QByteArray(levels, '[') + QByteArray(levels, ']') +
                   "}}";
        };
        QVERIFY(read_call(nested(kMaxJsonDepth - 2)).has_value());
        QVERIFY(!read_call(nested(kMaxJsonDepth - 1)).has_value());
    }

    void brackets_within_strings_do_not_count() {
        QVERIFY(read_call(quoted("{'method':'a.B','parameters':{'a':'\\'" + QByteArray(100, '[') + "'}}")).has_value());
    }

    void null_or_absent_parameters_are_an_empty_object() {
        QVERIFY(read_call(quoted("{'method':'a.B'}"))->parameters == json::object());
        QVERIFY(read_call(quoted("{'method':'a.B','parameters':null}"))->parameters == json::object());
    }

    void messages_are_cut_at_each_NUL_however_they_arrive() {
        const std::string stream("one\0two\0\0three\0fo", 17);
        for (std::size_t step = 1; step <= stream.size(); ++step) {
            FrameSplitter frames;
            std::vector<std::string> got;
            for (std::size_t at = 0; at < stream.size(); at += step) {
                QVERIFY(frames.feed(std::span(stream).subspan(at, std::min(step, stream.size() - at))).has_value());
                while (auto frame = frames.next())
                    got.push_back(*frame);
            }
            QCOMPARE(got, (std::vector<std::string>{"one", "two", "", "three"}));
        }
    }

    void a_frame_that_never_ends_is_refused_at_the_cap() {
        FrameSplitter frames;
        const std::string chunk(64 << 10, 'x');
        for (std::size_t sent = 0; sent < kMaxMessageBytes; sent += chunk.size()) {
            QVERIFY(frames.feed(chunk).has_value());
            QVERIFY(!frames.next());
        }
        QVERIFY(!frames.feed(std::string("x")).has_value());
    }

    void many_small_frames_do_not_count_together() {
        FrameSplitter frames;
        const std::string chunk(64 << 10, '\0');
        for (int i = 0; i < 1000; ++i) {
            QVERIFY(frames.feed(chunk).has_value());
            int count = 0;
            while (frames.next())
                ++count;
            QCOMPARE(count, 64 << 10);
        }
    }
};

QTEST_GUILESS_MAIN(MessageTest)
#include "message_test.moc"
