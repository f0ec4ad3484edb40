#include "core/varlink/interface.h"
#include "core/varlink/org_varlink_service.h"
#include "interfaces.h"

#include <QtTest>

using namespace belljar;
using namespace belljar::varlink;
using nlohmann::json;

namespace {

const std::string kEverything = R"(# a comment before everything
interface org.example.every-thing.x1 # and one behind

type Point (x: int, y: ?float)
type Colour (red, green_blue)
type Node (children: []Node, name: string)   # recursion
method Do(
  flag: bool, count: int, ratio: float, text: string, any: object,
  colour: Colour, point: Point, list: []string, map: [string]int, set: [string](),
  maybe: ?string, deep: ?[](first: int, kind: (one, two)), node: ?Node
)->()
method Nothing() -> (answer: int)
error Failed (reason: string)
error Plain ()
)";

json valid() {
    return json::parse(R"({"flag": true, "count": -1, "ratio": 2, "text": "x", "any": {"free": [1]},
        "colour": "green_blue", "point": {"x": 1}, "list": ["a"], "map": {"k": 1}, "set": {"a": {}},
        "deep": [{"first": 1, "kind": "two"}], "node": {"children": [{"children": [], "name": "leaf"}], "name": "root"}})");
}

} // namespace

class InterfaceTest : public QObject {
    Q_OBJECT
private slots:
    void every_construct_is_read() {
        const auto interface = Interface::parse(kEverything);
        QVERIFY2(interface.has_value(), interface ? "" : interface.error().message().c_str());
        QCOMPARE(interface->name, std::string("org.example.every-thing.x1"));
        QCOMPARE(interface->text, kEverything);
        QCOMPARE(interface->types.size(), 3u);
        QCOMPARE(interface->methods.size(), 2u);
        QCOMPARE(interface->errors.size(), 2u);
        QCOMPARE(interface->types.at("Colour").values, (std::vector<std::string>{"red", "green_blue"}));
        const Type& deep = *interface->methods.at("Do").input.members.at(11).second;
        QVERIFY(deep.kind == Type::Kind::Optional && deep.element->kind == Type::Kind::Array);
        QVERIFY(deep.element->element->members.at(1).second->kind == Type::Kind::Enum);
        QCOMPARE(interface->methods.at("Nothing").output.members.at(0).first, std::string("answer"));
    }

    void our_own_interfaces_are_read_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("helper") << QString(interfaces::org_belljar_Helper);
        QTest::newRow("session") << QString(interfaces::org_belljar_Session);
        QTest::newRow("service") << QString(kServiceInterface);
    }
    void our_own_interfaces_are_read() {
        QFETCH(QString, text);
        const auto interface = Interface::parse(text.toStdString());
        QVERIFY2(interface.has_value(), interface ? "" : interface.error().message().c_str());
    }

    void a_malformed_interface_is_refused_with_its_place_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        const auto row = [](const char* name, const char* text, const char* place) {
            QTest::newRow(name) << QString(text) << QString(place);
        };
        row("nothing", "", "1:1");
        row("no interface", "type A (a: int)", "1:1");
        row("a name without a dot", "interface org", "1:11");
        row("a name that ends in a dot", "interface org.", "1:11");
        row("a name with two dots", "interface org..a", "1:11");
        row("a part that begins with a hyphen", "interface org.-a", "1:11");
        row("a part that ends with a hyphen", "interface org-.a", "1:11");
        row("an unknown keyword", "interface a.b\nstruct A ()", "2:1");
        row("a type in lower case", "interface a.b\ntype point (x: int)", "2:6");
        row("a type that is no struct", "interface a.b\ntype A int", "2:8");
        row("an unknown type", "interface a.b\ntype A (b: B)", "2:12");
        row("a mistyped type", "interface a.b\ntype A (b: integer)", "2:12");
        row("two of one name", "interface a.b\ntype A ()\nmethod A() -> ()", "3:8");
        row("a field twice", "interface a.b\ntype A (x: int, x: int)", "2:17");
        row("an enumeration value twice", "interface a.b\ntype A (x, x)", "2:12");
        row("fields and values mixed", "interface a.b\ntype A (x: int, y)", "2:17");
        row("an enumeration as parameters", "interface a.b\nmethod A(x) -> ()", "2:9");
        row("no arrow", "interface a.b\nmethod A() ()", "2:12");
        row("no result", "interface a.b\nmethod A() ->", "2:14");
        row("an open bracket", "interface a.b\ntype A (x: int", "2:15");
        row("a trailing comma", "interface a.b\ntype A (x: int,)", "2:16");
        row("optional twice", "interface a.b\ntype A (x: ??int)", "2:17");
        row("a map of another key", "interface a.b\ntype A (x: [int]int)", "2:12");
        row("a field with two underscores", "interface a.b\ntype A (x__y: int)", "2:9");
        row("a field that ends with one", "interface a.b\ntype A (x_: int)", "2:9");
    }
    void a_malformed_interface_is_refused_with_its_place() {
        QFETCH(QString, text);
        QFETCH(QString, place);
        const auto interface = Interface::parse(text.toStdString());
        QVERIFY(!interface.has_value());
        QVERIFY2(interface.error().why.starts_with(place.toStdString() + ": "), interface.error().why.c_str());
    }

    void a_type_nested_without_end_is_refused() {
        QVERIFY(
            !Interface::parse("interface a.b\ntype A (x: " + QByteArray("[]").repeated(100000).toStdString() + "int)"));
        QVERIFY(!Interface::parse("interface a.b\ntype A " + QByteArray("(x: ").repeated(100000).toStdString()));
    }

    void a_value_of_the_type_has_no_mismatch() {
        const auto interface = Interface::parse(kEverything);
        QCOMPARE(interface->mismatch(interface->methods.at("Do").input, valid()), std::string());
    }

    void a_mismatch_is_named_by_its_path_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("path");
        const auto row = [](const char* pointer, const char* value, const char* path) {
            QTest::addRow("%s = %s", pointer, value) << QString(pointer) << QString(value) << QString(path);
        };
        row("/flag", "1", "flag");
        row("/count", "1.5", "count");
        row("/count", "9223372036854775808", "count");
        row("/count", "\"1\"", "count");
        row("/ratio", "null", "ratio");
        row("/text", "7", "text");
        row("/any", "[]", "any");
        row("/colour", "\"blue\"", "colour");
        row("/colour", "1", "colour");
        row("/point", "[]", "point");
        row("/point/x", "true", "point.x");
        row("/point/z", "1", "point.z");
        row("/list/1", "2", "list[1]");
        row("/list", "{}", "list");
        row("/map/k", "\"v\"", "map[k]");
        row("/set/a", "null", "set[a]");
        row("/set/a", "{\"b\": 1}", "set[a].b");
        row("/maybe", "1", "maybe");
        row("/deep/0/kind", "\"three\"", "deep[0].kind");
        row("/node/children/0/children", "[{}]", "node.children[0].children[0].children");
        row("/extra", "null", "extra");
        row("", "[]", "parameters");
    }
    void a_mismatch_is_named_by_its_path() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, path);
        const auto interface = Interface::parse(kEverything);
        json changed = valid();
        changed[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
        QCOMPARE(interface->mismatch(interface->methods.at("Do").input, changed), path.toStdString());
    }

    void a_missing_member_is_named_unless_it_is_optional() {
        const auto interface = Interface::parse(kEverything);
        const Type& input = interface->methods.at("Do").input;
        for (const auto& [name, type] : input.members) {
            json without = valid();
            without.erase(name);
            QCOMPARE(interface->mismatch(input, without), type->kind == Type::Kind::Optional ? std::string() : name);
        }
    }
};

QTEST_GUILESS_MAIN(InterfaceTest)
#include "interface_test.moc"
