// Another implementation's client against our Service: Debian's varlink-go package has one for
// org.varlink.certification, the interface that Varlink implementations are certified with. Each call's parameters are
// the previous call's answer.
#include "core/varlink/client.h"
#include "core/varlink/service.h"
#include "socket_server.h"

#include <QProcess>
#include <QStandardPaths>
#include <QtTest>

using namespace belljar;
using namespace belljar::varlink;

namespace {

const std::string kName = "org.varlink.certification.";

constexpr const char* kInterface = R"(interface org.varlink.certification
type Interface (foo: ?[]?[string](foo, bar, baz), anon: (foo: bool, bar: bool))
type MyType (
  object: object,
  enum: (one, two, three),
  struct: (first: int, second: string),
  array: []string,
  dictionary: [string]string,
  stringset: [string](),
  nullable: ?string,
  nullable_array_struct: ?[](first: int, second: string),
  interface: Interface
)
method Start() -> (client_id: string)
method Test01(client_id: string) -> (bool: bool)
method Test02(client_id: string, bool: bool) -> (int: int)
method Test03(client_id: string, int: int) -> (float: float)
method Test04(client_id: string, float: float) -> (string: string)
method Test05(client_id: string, string: string) -> (bool: bool, int: int, float: float, string: string)
method Test06(client_id: string, bool: bool, int: int, float: float, string: string)
  -> (struct: (bool: bool, int: int, float: float, string: string))
method Test07(client_id: string, struct: (bool: bool, int: int, float: float, string: string)) -> (map: [string]string)
method Test08(client_id: string, map: [string]string) -> (set: [string]())
method Test09(client_id: string, set: [string]()) -> (mytype: MyType)
method Test10(client_id: string, mytype: MyType) -> (string: string)
method Test11(client_id: string, last_more_replies: []string) -> ()
method End(client_id: string) -> (all_ok: bool)
error ClientIdError ()
error CertificationError (wants: object, got: object)
)";

struct Step {
    std::string method;
    json wants, answers;
};

json my_type() {
    return json::parse(
        R"({"object": {"method": "org.varlink.certification.Test09", "parameters": {"map": {"foo": "Foo", "bar": "Bar"}}},
        "enum": "two", "struct": {"first": 1, "second": "2"}, "array": ["one", "two", "three"],
        "dictionary": {"foo": "Foo", "bar": "Bar"}, "stringset": {"one": {}, "two": {}, "three": {}},
        "interface": {"foo": [null, {"Foo": "foo", "Bar": "bar"}, null, {"one": "foo", "two": "bar"}],
                      "anon": {"foo": true, "bar": false}}})");
}

std::vector<Step> steps() {
    const json several = {{"bool", false}, {"int", 2}, {"float", 3.141592653589793}, {"string", "a lot of string"}};
    const std::vector<json> answers = {
        {{"bool", true}},
        {{"int", 1}},
        {{"float", 1.0}},
        {{"string", "ping"}},
        several,
        {{"struct", several}},
        {{"map", {{"bar", "Bar"}, {"foo", "Foo"}}}},
        {{"set", {{"one", json::object()}, {"two", json::object()}, {"three", json::object()}}}},
        {{"mytype", my_type()}}};
    std::vector<Step> all;
    json wants = json::object();
    for (std::size_t i = 0; i < answers.size(); ++i) {
        all.push_back({"Test0" + std::to_string(i + 1), wants, answers[i]});
        wants = answers[i];
    }
    return all;
}

// The certification service. Counts what went wrong; only the last call tells the client.
class Certification {
public:
    Certification() : service({"Belljar", "Certification", "1", "https://example.org"}) {
        service.add_interface(kInterface);
        service.on(kName + "Start", [](const json&, const Responder& responder) {
            responder.reply({{"client_id", "one"}});
        });
        for (const Step& step : steps())
            on(step.method, step.wants, [step](const Responder& responder) { responder.reply(step.answers); });
        on("Test10", {{"mytype", my_type()}}, [this](const Responder& responder) {
            for (int i = 1; i < 10; ++i) {
                replies.push_back("Reply number " + std::to_string(i));
                responder.reply_continues({{"string", replies.back()}});
            }
            replies.push_back("Reply number 10");
            responder.reply({{"string", replies.back()}});
        });
        service.on(kName + "Test11", [this](const json& parameters, const Responder& responder) {
            oneway_arrived = parameters.at("last_more_replies") == json(replies);
            responder.reply(json::object());
        });
        on("End", json::object(), [this](const Responder& responder) {
            ended = true;
            responder.reply({{"all_ok", oneway_arrived && mistakes.empty()}});
        });
    }

    Service service;
    std::vector<std::string> replies, mistakes;
    bool oneway_arrived = false, ended = false;

private:
    void on(const std::string& method, json wants, std::function<void(const Responder&)> then) {
        service.on(kName + method, [=, this](const json& parameters, const Responder& responder) {
            json got = parameters;
            if (got.at("client_id") != "one") return responder.error(kName + "ClientIdError");
            got.erase("client_id");
            if (got == without_nulls(wants) || without_nulls(got) == wants) return then(responder);
            mistakes.push_back(method + " got " + got.dump());
            responder.error(kName + "CertificationError", {{"wants", wants}, {"got", got}});
        });
    }

    // An absent optional member and a null one are the same value.
    static json without_nulls(json value) {
        if (value.is_object())
            for (auto item = value.begin(); item != value.end();) {
                *item = without_nulls(*item);
                item = item->is_null() ? value.erase(item) : std::next(item);
            }
        return value;
    }
};

} // namespace

class CertificationTest : public QObject {
    Q_OBJECT
private slots:
    void a_client_of_another_implementation_is_served() {
        const QString program = QStandardPaths::findExecutable("varlink-go-certification");
        QVERIFY2(!program.isEmpty(), "varlink-go-certification is missing: install varlink-go");
        Certification certification;
        const SocketServer server(certification.service);
        QProcess client;
        client.setProcessChannelMode(QProcess::MergedChannels);
        client.start(program, {"-client", "-varlink", "unix:" + QString::fromStdString(server.path())});
        QVERIFY(client.waitForFinished(30000));
        const QByteArray output = client.readAll();
        for (const std::string& mistake : certification.mistakes)
            qWarning("%s", mistake.c_str());
        QVERIFY2(certification.oneway_arrived, output.constData());
        QVERIFY2(certification.ended, output.constData());
        QVERIFY2(output.contains("End: 'true'"), output.constData());
        QCOMPARE(client.exitCode(), 0);
    }

    void our_client_is_served_by_another_implementation() {
        const QString program = QStandardPaths::findExecutable("varlink-go-certification");
        QVERIFY2(!program.isEmpty(), "varlink-go-certification is missing: install varlink-go");
        QTemporaryDir folder;
        const QString path = folder.filePath("socket");
        QProcess server;
        server.start(program, {"-varlink", "unix:" + path});
        QVERIFY(server.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(Client::connect(path.toStdString()).has_value(), 10000);
        auto client = Client::connect(path.toStdString());
        const auto started = client->call(kName + "Start");
        QVERIFY2(started.has_value(), started ? "" : started.error().message().c_str());
        json parameters = *started;
        const json id = started->at("client_id");
        for (const Step& step : steps()) {
            parameters["client_id"] = id;
            auto reply = client->call(kName + step.method, parameters);
            QVERIFY2(reply.has_value(), reply ? "" : (step.method + reply.error().message()).c_str());
            parameters = *reply;
            QVERIFY2(parameters == step.answers, (step.method + parameters.dump()).c_str());
        }
        parameters["client_id"] = id;
        int replies = 0;
        QVERIFY(client->stream(kName + "Test10", parameters, [&](const json&) { return ++replies > 0; }).has_value());
        QCOMPARE(replies, 10);
        const auto end = client->call(kName + "End", {{"client_id", id}});
        QVERIFY(end.has_value() && end->at("all_ok") == true);
        server.terminate();
        QVERIFY(server.waitForFinished());
    }
};

QTEST_GUILESS_MAIN(CertificationTest)
#include "certification_test.moc"
