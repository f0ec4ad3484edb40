// A record in other forms: in words, as JSON Lines, as CSV; secrets masked, nothing hostile let through.
#include "core/record/export.h"

#include "tests/core/record/sample_record.h"

#include <ctime>
#include <sstream>

// The disk is not what is tested here.
extern "C" int fsync(int) {
    return 0;
}
extern "C" int fdatasync(int) {
    return 0;
}

using namespace belljar;
using namespace belljar::test;

class TestRecordExport : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    int next_ = 0;

    std::string exported(const Json& fields, ExportFormat format, bool raw) {
        const std::string where = fmt::format("{}/{}", base_.path().toStdString(), next_++);
        ::mkdir(where.c_str(), 0700);
        auto writer = RecordWriter::create(where, kId, started());
        if (!(*writer)->append({"egress", fields, 1'900'000'001'000'000})) qFatal("append");
        std::ostringstream out;
        auto reader = RecordReader::open(where + "/record.db");
        if (!export_record(**reader, format, raw, out)) qFatal("export");
        return out.str();
    }

private slots:
    void secrets_are_masked_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("masked");
        const QString forty = QString(40, 'a');
        QTest::newRow("GitHub token") << "x ghp_" + forty + " y"
                                      << "x ghp_*** y";
        QTest::newRow("GitHub fine-grained token") << "github_pat_11ABC_" + forty << "github_pat_***";
        QTest::newRow("sk- key") << "key sk-ant-api03-" + forty << "key sk-***";
        QTest::newRow("AWS key id") << "AKIAIOSFODNN7EXAMPLE"
                                    << "AKIA***";
        QTest::newRow("Slack token") << "xoxb-1234567890-abcdef"
                                     << "xoxb-***";
        QTest::newRow("JSON Web Token") << "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_d rest"
                                        << "*** rest";
        QTest::newRow("Bearer") << "Authorization: Bearer abcdef123456"
                                << "Authorization: ***";
        QTest::newRow("Bearer alone") << "-H 'X: Bearer abcdef123456'"
                                      << "-H 'X: Bearer ***'";
        QTest::newRow("Basic") << "'Authorization: Basic dTpwYXNz' next"
                               << "'Authorization: ***' next";
        QTest::newRow("--password X") << "mysql --password hunter2 -h db"
                                      << "mysql --password *** -h db";
        QTest::newRow("--password=X") << "mysql --password=hunter2 -h db"
                                      << "mysql --password=*** -h db";
        QTest::newRow("--api-key in quotes") << "x --api-key=\"a b\" y"
                                             << "x --api-key=\"***\" y";
        QTest::newRow("environment") << "GITHUB_TOKEN=abc123 make"
                                     << "GITHUB_TOKEN=*** make";
        QTest::newRow("AWS secret") << "AWS_SECRET_ACCESS_KEY=wJalr/K7MDENG+b"
                                    << "AWS_SECRET_ACCESS_KEY=***";
        QTest::newRow("query") << "https://h/p?id=3&access_token=abc&x=1"
                               << "https://h/p?id=3&access_token=***&x=1";
        QTest::newRow("URL password") << "git clone https://user:pa:ss@h.example/r"
                                      << "git clone https://user:***@h.example/r";
        QTest::newRow("URL with a token as password") << "https://x-access-token:ghp_" + forty + "@github.com/"
                                                      << "https://x-access-token:***@github.com/";
        QTest::newRow("JSON in an argument") << "{\"password\": \"hunter2\", \"a\": 1}"
                                             << "{\"password\": \"***\", \"a\": 1}";
        QTest::newRow("private key")
            << "a -----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY----- b"
            << "a *** b";
        QTest::newRow("private key, cut") << "-----BEGIN PRIVATE KEY-----\nAAAA"
                                          << "***";
        QTest::newRow("two in one") << "A_TOKEN=x B_SECRET=y"
                                    << "A_TOKEN=*** B_SECRET=***";
        // What must stay readable.
        for (const char* plain :
             {"PWD=/home/u", "cargo --offline build", "https://h.example:8080/a@b", "user@host:/path", "sk-learn",
              "risk-averse-and-long-enough-word", "tokens=512", "--max-tokens 4096", "ghp_short",
              "TOKENIZERS_PARALLELISM=false", "/usr/lib/ssl/private", "eyJ.a.b", "git commit -m 'no password needed'",
              "--password", "monkey=3", "AKIA", ""})
            QTest::newRow(qPrintable(QString("plain: ") + plain)) << plain << plain;
    }
    void secrets_are_masked() {
        QFETCH(QString, text);
        QFETCH(QString, masked);
        QCOMPARE(QString::fromStdString(mask_secrets(text.toStdString())), masked);
    }

    void masking_stays_linear_on_text_made_to_slow_it_down_data() {
        QTest::addColumn<QByteArray>("part");
        for (const char* part : {"-a", "a", "_", "eyJ", "eyJaaaaaaaaaa-", "://", "://a:", "-----BEGIN ", "--password ",
                                 "password='", "sk-", "Bearer ", "token = ", " "})
            QTest::newRow(part) << QByteArray(part);
    }
    void masking_stays_linear_on_text_made_to_slow_it_down() {
        QFETCH(QByteArray, part);
        const std::string text = part.repeated(int((1 << 20) / part.size())).toStdString();
        const std::clock_t before = std::clock(); // processor time: the machine may be busy
        (void)mask_secrets(text);
        const double seconds = double(std::clock() - before) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 2, qPrintable(QString::number(seconds)));
    }

    void json_lines_are_the_stored_bytes_when_raw() {
        const std::string lines =
            exported({{"host", "h"}, {"argv", {"curl", "--password", "hunter2"}}}, ExportFormat::JsonLines, true);
        QVERIFY(lines.find("\"kind\":\"egress\",\"host\":\"h\",\"argv\":[\"curl\",\"--password\",\"hunter2\"]}\n") !=
                std::string::npos);
        QCOMPARE(std::count(lines.begin(), lines.end(), '\n'), std::ptrdiff_t(2));
    }

    void the_value_of_a_flag_is_masked_in_the_next_argument() {
        const std::string lines =
            exported({{"argv", {"curl", "--password", "hunter2", "-u", "me:secret", "--token", "--verbose", "plain"}}},
                     ExportFormat::JsonLines, false);
        QVERIFY2(
            lines.find("[\"curl\",\"--password\",\"***\",\"-u\",\"me:***\",\"--token\",\"--verbose\",\"plain\"]") !=
                std::string::npos,
            lines.c_str());
    }

    void nothing_hostile_passes_in_any_form() {
        const Json hostile = {{"host", "a\nb\x1b[31m\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6z"},
                              {"reason", "=cmd|' /C calc'!A0"}};
        for (const ExportFormat format : {ExportFormat::JsonLines, ExportFormat::Csv})
            for (const bool raw : {false, true}) {
                const std::string text = exported(hostile, format, raw);
                for (const char* bad : {"\x1b", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "a\nb"})
                    QVERIFY2(text.find(bad) == std::string::npos, text.c_str());
            }
        const std::string lines = exported(hostile, ExportFormat::JsonLines, true);
        const std::string second = lines.substr(lines.find('\n') + 1);
        QVERIFY(Json::parse(second)["host"] == hostile["host"]); // escaped, not changed
    }

    void csv_has_a_column_for_what_one_filters_by_and_the_whole_event_at_the_end() {
        const std::string csv =
            exported({{"verdict", "denied"}, {"host", "h\"x"}, {"port", 443}, {"reason", "=1+1"}, {"extra", {1, 2}}},
                     ExportFormat::Csv, false);
        QVERIFY(csv.starts_with("seq,time,kind,verdict,host,name,ip,port,proto,conn,pid,exe,argv,syscall,errno,count,"
                                "rule,reason,event\r\n"));
        QVERIFY2(csv.find("2,\"2030-03-17T17:46:41.000000Z\",\"egress\",\"denied\",\"h\"\"x\",\"\",\"\",443,") !=
                     std::string::npos,
                 csv.c_str());
        QVERIFY(csv.find(",\"'=1+1\",\"{\"\"seq\"\":2,") != std::string::npos);
        QVERIFY(csv.find("\"\"extra\"\":[1,2]}\"\r\n") != std::string::npos);
    }

    void an_output_that_cannot_be_written_is_an_error() {
        const std::string path = make_record(base_.filePath("full").toStdString(), 5, true);
        std::ostringstream out;
        out.setstate(std::ios::badbit);
        QVERIFY(!export_record(**RecordReader::open(path), ExportFormat::JsonLines, false, out));
    }

    void every_kind_has_its_sentence_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* json, const char* words) {
            QTest::newRow(name) << json << words;
        };
        row("session-started",
            "'kind':'session-started','id':'0123456789ab','name':'fix','argv':['bash','-c','a "
            "b'],'workspace':'/w','policy':{'name':'default'},"
            "'layers':[{'name':'landlock','state':'missing'},{'name':'filter','state':'enforced'}]",
            "started  fix (0123456789ab): bash -c 'a b', in /w, policy default; not enforced: landlock (missing)");
        row("dns",
            "'kind':'dns','name':'gist.example.net','type':'A','verdict':'denied','reason':'no rule allows "
            "it','count':3,'pid':14,'exe':'/usr/bin/curl'",
            "denied   name gist.example.net (A)  by curl (pid 14): no rule allows it  ×3");
        row("egress denied",
            "'kind':'egress','verdict':'denied','host':'gist.github.com','port':443,'proto':'tcp','pid':14,'exe':'/usr/"
            "bin/curl','reason':'no rule allows it'",
            "denied   gist.github.com:443  by curl (pid 14): no rule allows it");
        row("egress allowed",
            "'kind':'egress','verdict':'allowed','host':'','ip':'2001:db8::1','port':22,'proto':'tcp','pid':3,'exe':'/"
            "usr/bin/python3','argv':['python3','/w/fetch.py'],'rule':'2001:db8::/32:22'",
            "allowed  [2001:db8::1]:22  by python3 fetch.py (pid 3): rule 2001:db8::/32:22");
        row("egress allowed, no rule behind it", "'kind':'egress','verdict':'allowed','host':'h','port':443,'reason':'allowed'",
            "allowed  h:443");
        row("egress allowed, with the number to cut it by",
            "'kind':'egress','conn':12,'verdict':'allowed','host':'h','port':443,'pid':3,'exe':'/bin/x'",
            "allowed  h:443 #12  by x (pid 3)");
        row("egress that could not be seen", "'kind':'egress','verdict':'denied','host':'','pid':3,'exe':'/bin/x','reason':'not readable'",
            "denied   a connection  by x (pid 3): not readable");
        row("dns, malformed", "'kind':'dns','name':'','verdict':'denied','reason':'malformed: cut short'",
            "denied   a name: malformed: cut short");
        row("egress by UDP", "'kind':'egress','verdict':'held','host':'h','port':443,'proto':'udp'",
            "held     h:443/udp");
        row("egress-closed",
            "'kind':'egress-closed','conn':4,'bytes_sent':1536,'bytes_received':3,'duration_ms':120,'reason':'closed "
            "by the server'",
            "closed   connection 4  1.5 KiB sent, 3 B received, after 120 ms: closed by the server");
        row("syscall-denied",
            "'kind':'syscall-denied','syscall':'ptrace','nr':101,'args':['0x10',4,0],'errno':1,'pid':9,'exe':'/usr/bin/"
            "gdb','count':1",
            "denied   ptrace(0x10, 4, 0)  by gdb (pid 9): EPERM");
        row("asked", "'kind':'asked','ask':1,'host':'h','port':443", "asked    may it reach h:443");
        row("answered",
            "'kind':'answered','ask':1,'host':'h','port':443,'answer':'allow','scope':'session','until':'2030-01-01T00:"
            "00:00Z','by':'u'",
            "answered allow for h:443, scope session, until 2030-01-01T00:00:00Z  by u");
        row("planted",
            "'kind':'planted','path':'.git/hooks/post-commit','pid':5,'exe':'/bin/sh','argv':['sh','-c','x'],'aside':'/"
            "s/aside/1'",
            "planted  .git/hooks/post-commit  by sh (pid 5); moved to /s/aside/1");
        row("resumed", "'kind':'resumed','answer':'drop','by':'u'", "resumed  drop  by u");
        row("policy-changed", "'kind':'policy-changed','change':'allow h','by':'u'", "changed  policy: allow h  by u");
        row("session-ended",
            "'kind':'session-ended','status':3,'reason':'exited','totals':{'allowed':1,'denied':2,'calls_denied':3,'"
            "bytes_sent':2048,'bytes_received':5}",
            "ended    status 3: exited; 1 allowed, 2 denied, 3 calls denied, 2.0 KiB sent, 5 B received");
        row("a kind of a later release", "'kind':'later','a':1,'b':'x'", "later  a=1  b=x");
        row("an escape sequence", "'kind':'egress','verdict':'denied','host':'\\u001b[2Jh\\n','port':1",
            "denied   \\x1b[2Jh\\x0a:1");
        row("members of other types", "'kind':'egress','verdict':7,'host':['x'],'port':'p','pid':{},'exe':3,'argv':'s'",
            "7        [\"x\"]:p  by 3 (pid {})");
    }
    void every_kind_has_its_sentence() {
        QFETCH(QString, json);
        QFETCH(QString, words);
        json.replace('\'', '"');
        const StoredEvent event{2, ("{\"seq\":2,\"time\":\"2030-03-17T12:03:04.123456Z\"," + json + "}").toStdString()};
        QCOMPARE(QString::fromStdString(in_words(event)), "12:03:04.123456  " + words);
    }

    void bytes_that_are_no_json_are_said_to_be_damaged() {
        QCOMPARE(in_words({3, "{oops"}), std::string("--:--:--.------  damaged"));
    }
};

QTEST_GUILESS_MAIN(TestRecordExport)
#include "test_record_export.moc"
