// The host's proxy, from its environment.
#include "core/policy/proxy.h"
#include "core/system/files.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace belljar;
using Strings = std::vector<std::string>;

class TestPolicyProxy : public QObject {
    Q_OBJECT

private slots:
    void a_URL_is_read_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("authorization");
        QTest::newRow("whole") << "http://proxy.example:3128" << "proxy.example:3128" << "";
        QTest::newRow("with a slash") << "http://proxy.example:3128/" << "proxy.example:3128" << "";
        QTest::newRow("without a scheme") << "proxy.example:3128" << "proxy.example:3128" << "";
        QTest::newRow("without a port") << "http://Proxy.Example." << "proxy.example:80" << "";
        QTest::newRow("localhost") << "http://localhost:3128" << "localhost:3128" << "";
        QTest::newRow("an address") << "http://10.1.2.3:8080" << "10.1.2.3:8080" << "";
        QTest::newRow("an IPv6 address") << "http://[fd00::1]:8080" << "[fd00::1]:8080" << "";
        QTest::newRow("with a user") << "http://tess:secret@proxy.example:3128" << "proxy.example:3128"
                                     << "Basic dGVzczpzZWNyZXQ=";
        QTest::newRow("with an encoded password") << "http://tess:a%40b%3Ac@proxy.example:3128" << "proxy.example:3128"
                                                  << "Basic dGVzczphQGI6Yw==";
        QTest::newRow("with a user alone") << "http://tess@proxy.example:3128" << "proxy.example:3128" << "Basic dGVzczo=";
    }
    void a_URL_is_read() {
        QFETCH(QString, url);
        QFETCH(QString, place);
        QFETCH(QString, authorization);
        const auto proxy = proxy_from_environment({"HTTPS_PROXY=" + url.toStdString()});
        QVERIFY2(proxy && *proxy, proxy ? "none" : proxy.error().message().c_str());
        QCOMPARE((*proxy)->place(), place.toStdString());
        QCOMPARE((*proxy)->authorization, authorization.toStdString());
    }

    void what_is_no_http_proxy_is_an_error_that_does_not_show_the_password_data() {
        QTest::addColumn<QString>("url");
        for (const char* url : {"https://tess:secret@proxy.example:3128", "socks5://tess:secret@proxy.example:1080",
                                "http://tess:secret@", "http://tess:secret@proxy.example:0", "http://tess:secret@proxy.example:70000",
                                "http://tess:secret@proxy.example:", "http://tess:secret@proxy.example:12x", "http://tess:secret@[::1",
                                "http://tess:secret@[proxy]:1", "http://tess:secret@pro xy:1", "http://tess:secret@pro\r\nxy:1"})
            QTest::newRow(url) << url;
    }
    void what_is_no_http_proxy_is_an_error_that_does_not_show_the_password() {
        QFETCH(QString, url);
        const auto proxy = proxy_from_environment({"HTTPS_PROXY=" + url.toStdString()});
        QVERIFY(!proxy);
        QVERIFY(proxy.error().message().find("secret") == std::string::npos);
        QVERIFY(proxy.error().message().find("unset it") != std::string::npos);
    }

    void the_lower_case_variables_come_first_and_empty_ones_count_for_nothing() {
        const auto proxy = proxy_from_environment({"HTTPS_PROXY=http://upper:1", "https_proxy=http://lower:1", "no_proxy=a,b",
                                                   "NO_PROXY=c"});
        QCOMPARE((*proxy)->host, std::string("lower"));
        QCOMPARE((*proxy)->direct, (Strings{"a", "b"}));
        QVERIFY(!*proxy_from_environment({"HTTPS_PROXY=", "HTTP_PROXY=http://x:1", "NO_PROXY=a"}));
    }

    void authorities_are_the_files_that_are_there() {
        QTemporaryDir folder;
        const std::string file = folder.path().toStdString() + "/ca.pem";
        QVERIFY(write_file(file, "x"));
        const auto found = authority_variables({"SSL_CERT_FILE=" + file, "NODE_EXTRA_CA_CERTS=" + file + "-absent",
                                                "CURL_CA_BUNDLE=ca.pem", "GIT_SSL_CAINFO=" + folder.path().toStdString(),
                                                "AWS_SECRET_ACCESS_KEY=" + file});
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].name, std::string("SSL_CERT_FILE"));
    }
};

QTEST_GUILESS_MAIN(TestPolicyProxy)
#include "test_policy_proxy.moc"
