// Policy files: every key is read, and what is wrong is named with its place and what was probably meant.
#include "core/policy/parse.h"

#include <QtTest>

using namespace belljar;
using Strings = std::vector<std::string>;

namespace {

tl::expected<Policy, Diagnostics> parse(const std::string& text, PolicyOrigin origin = PolicyOrigin::User) {
    return parse_policy(text, "p.toml", "p", origin);
}

QByteArray all(const Diagnostics& diagnostics) {
    QByteArray lines;
    for (const Diagnostic& one : diagnostics)
        lines += QByteArray::fromStdString(one.text()) + '\n';
    return lines;
}

} // namespace

class TestPolicyParse : public QObject {
    Q_OBJECT

private slots:
    void every_key_is_read() {
        const auto policy = parse(R"(
version = 1
require = ["landlock", "filter"]
[workspace]
protect = ["ci/release-key.pub"]
unprotect = [".vscode"]
home = "work"
nested = true
read_only = true
[filesystem]
system = ["/usr", "/lib64/"]
read = ["~/.cargo", "/opt/tool"]
write = ["~/.cache/x"]
hide = [".env", "secrets/", "/usr/share/doc"]
[egress]
default = "ask"
allow = ["github.com", "*.example.net", "git.example.org:22", "10.1.2.0/24:5432", "host:11434", "@npm"]
deny = ["gist.github.com"]
private = ["git.corp.example", "10.1.0.0/16"]
[credentials]
env = ["EDITOR"]
[syscalls]
profile = "strict"
allow = ["ptrace"]
deny = ["bpf"]
[limits]
memory = "4GiB"
processes = 100
open_files = 2048
cpus = 2
scratch = "2GiB"
duration = "1h30m"
)");
        QVERIFY2(policy, policy ? "" : all(policy.error()).data());
        QCOMPARE(policy->name, std::string("p"));
        QCOMPARE(policy->file, std::string("p.toml"));
        QCOMPARE(policy->sha256.size(), std::size_t(64));
        QCOMPARE(policy->require, (Strings{"landlock", "filter"}));
        QCOMPARE(policy->workspace.protect, Strings{"ci/release-key.pub"});
        QCOMPARE(policy->workspace.unprotect, Strings{".vscode"});
        QCOMPARE(policy->workspace.home, std::string("work"));
        QVERIFY(policy->workspace.nested);
        QVERIFY(policy->workspace.read_only);
        QCOMPARE(policy->filesystem.system, (Strings{"/usr", "/lib64"}));
        QCOMPARE(policy->filesystem.read, (Strings{"~/.cargo", "/opt/tool"}));
        QCOMPARE(policy->filesystem.write, Strings{"~/.cache/x"});
        QCOMPARE(policy->filesystem.hide, (Strings{".env", "secrets", "/usr/share/doc"}));
        QCOMPARE(policy->egress.size(), std::size_t(1));
        QVERIFY((policy->egress[0] ==
                 EgressRules{"p",
                             "ask",
                             {"github.com", "*.example.net", "git.example.org:22", "10.1.2.0/24:5432", "host:11434", "@npm"},
                             {"gist.github.com"},
                             {"git.corp.example", "10.1.0.0/16"}}));
        QCOMPARE(policy->credentials_env, Strings{"EDITOR"});
        QVERIFY((policy->syscalls == SyscallSpec{"strict", {"ptrace"}, {"bpf"}}));
        LimitSpec limits;
        limits.memory_bytes = 4ull << 30;
        limits.processes = 100;
        limits.open_files = 2048;
        limits.cpus = 2.0;
        limits.scratch_bytes = 2ull << 30;
        limits.duration_seconds = 5400;
        QVERIFY(policy->limits == limits);
        QVERIFY(policy->sets("egress.allow") && policy->sets("limits.cpus") && policy->sets("version") &&
                !policy->sets("egress"));
    }

    void what_a_file_leaves_out_is_the_documented_default() {
        const auto policy = parse("version = 1\n");
        QVERIFY(policy);
        const Policy defaults = documented_defaults();
        QCOMPARE(policy->filesystem.system, defaults.filesystem.system);
        QVERIFY(policy->syscalls == defaults.syscalls && policy->limits == defaults.limits);
        QVERIFY(policy->require.empty() && policy->filesystem.read.empty() && policy->credentials_env.empty());
        QVERIFY((policy->egress == std::vector<EgressRules>{{"p", "deny", {}, {}, {}}}));
        QCOMPARE(policy->keys, Strings{"version"});
    }

    void the_digest_is_of_the_bytes() {
        QCOMPARE(parse("version = 1\n")->sha256,
                 std::string("dbab12665d98aef021ba64953c61b0ed8a908cfb56a1c01e2fcb4b052b71a2a1"));
        QVERIFY(parse("version = 1")->sha256 != parse("version = 1\n")->sha256);
    }

    void errors_name_their_place_and_what_was_meant_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("line"); // one whole line of the report, or its start
        const auto row = [](const char* title, const char* text, const char* line) {
            QTest::newRow(title) << QByteArray("version = 1\n") + text << QByteArray("p.toml:") + line;
        };
        row("a key with a letter missing", "[egress]\nalow = []",
            "3:1: unknown key 'alow' in [egress]; did you mean 'allow'?");
        row("a section with letters turned", "[egerss]\nallow = []",
            "2:2: unknown key 'egerss'; did you mean 'egress'?");
        row("a key in no section", "allow = []", "2:1: unknown key 'allow'; did you mean 'egress.allow'?");
        row("a key in the wrong section", "[filesystem]\nenv = []",
            "3:1: unknown key 'env' in [filesystem]; did you mean 'credentials.env'?");
        row("a key of the top in a section", "[egress]\nrequire = []",
            "3:1: unknown key 'require' in [egress]; 'require' stands at the top of the file, before the first "
            "[section]");
        row("a key like no other", "[egress]\npermissions = []",
            "3:1: unknown key 'permissions' in [egress]; there are: default, allow, deny, private");
        row("an unknown key below a key", "[egress.allow]\nx = 1",
            "2:1: egress.allow: a list of strings is wanted here, not a table");
        row("a key with a control character", "\"al\\u001blow\" = 1", "2:1: unknown key 'al\\x1blow'");
        row("a section that is a value", "egress = \"deny\"", "2:10: egress: a table is wanted here, not a string");
        row("a section as a list", "[[egress]]\nallow = []", "2:1: egress: a table is wanted here, not a list");
        row("a string for a list", "[egress]\nallow = \"github.com\"",
            "3:9: egress.allow: a list of strings is wanted here, not a string");
        row("a number in a list", "[egress]\nallow = [\"a.example\",\n  7]",
            "4:3: egress.allow: a string is wanted here, not an integer");
        row("a list in a list", "[egress]\nallow = [[\"a.example\"]]",
            "3:10: egress.allow: a string is wanted here, not a list");
        row("a boolean for a string", "[egress]\ndefault = true",
            "3:11: egress.default: a string is wanted here, not a boolean");
        row("a default that is none", "[egress]\ndefault = \"alow\"",
            "3:11: egress.default: 'alow': no such default; there are: deny, ask, observe");
        row("a default nearly right", "[egress]\ndefault = \"denny\"",
            "3:11: egress.default: 'denny': no such default; did you mean 'deny'?");
        row("everything", "[egress]\nallow = [\"*\"]", "3:10: egress.allow: '*': allows every host");
        row("everything below com", "[egress]\nallow = [\"*.com\"]",
            "3:10: egress.allow: '*.com': allows everything below a top-level domain");
        row("a NUL in a host", "[egress]\nallow = [\"github.com\\u0000.evil.test\"]",
            "3:10: egress.allow: 'github.com\\x00.evil.test': a space or control character");
        row("a CR in a host", "[egress]\ndeny = [\"github.com\\r\"]",
            "3:9: egress.deny: 'github.com\\x0d': a space or control character");
        row("a percent sign in a host", "[egress]\nallow = [\"git%68ub.com\"]",
            "3:10: egress.allow: 'git%68ub.com': a character that no host name has ('%')");
        row("a look-alike", "[egress]\nallow = [\"\u0430pple.example\"]",
            "3:10: egress.allow: '\u0430pple.example': letters of two scripts in one label");
        row("localhost", "[egress]\nallow = [\"localhost:80\"]",
            "3:10: egress.allow: 'localhost:80': 'localhost' is the session's own");
        row("the same host twice", "[egress]\nallow = [\"github.com\", \"a.example\", \"GitHub.com.\"]",
            "3:37: egress.allow: 'GitHub.com.' is listed twice");
        row("a port in private", "[egress]\nprivate = [\"git.corp.example:22\"]",
            "3:12: egress.private: 'git.corp.example:22': a port has no meaning here");
        row("a word that does not exist", "[egress]\nallow = [\"@nmp\"]",
            "3:10: egress.allow: '@nmp': no such word for a tool's registries; did you mean '@npm'?");
        row("a word with a port", "[egress]\nprivate = [\"@npm:443\"]", "3:12: egress.private: '@npm:443': no such word");
        row("a word twice", "[egress]\ndeny = [\"@go\", \"@go\"]", "3:16: egress.deny: '@go' is listed twice");
        row("read_only that is no boolean", "[workspace]\nread_only = \"yes\"",
            "3:13: workspace.read_only: true or false is wanted here, not a string");
        row("a host service in private", "[egress]\nprivate = [\"host:22\"]",
            "3:12: egress.private: 'host:22': the host's services");
        row("the same path twice", "[filesystem]\nread = [\"/opt\", \"/opt/\"]",
            "3:17: filesystem.read: '/opt/' is listed twice");
        row("up", "[filesystem]\nread = [\"/opt/../etc\"]", "3:9: filesystem.read: '/opt/../etc': '..' in a path");
        row("relative", "[filesystem]\nwrite = [\"cache\"]",
            "3:10: filesystem.write: 'cache': not an absolute path; start it with '/' or '~/'");
        row("the home", "[filesystem]\nread = [\"~\"]", "3:9: filesystem.read: '~': would show the whole home");
        row("the root", "[filesystem]\nsystem = [\"/\"]", "3:11: filesystem.system: '/': would show the whole system");
        row("a home in system", "[filesystem]\nsystem = [\"~/bin\"]",
            "3:11: filesystem.system: '~/bin': not an absolute path");
        row("all of etc", "[filesystem]\nsystem = [\"/usr\", \"/etc\"]",
            "3:19: filesystem.system: '/etc': holds passwords and keys");
        row("a file that is made", "[filesystem]\nsystem = [\"/etc/passwd\"]",
            "3:11: filesystem.system: '/etc/passwd': /etc/passwd is made for each session");
        row("a wildcard in hide", "[filesystem]\nhide = [\"*.pem\"]",
            "3:9: filesystem.hide: '*.pem': '*' and '?' are not read as wildcards");
        row("read and write", "[filesystem]\nread = [\"/opt\"]\nwrite = [\"/opt\"]",
            "2:1: '/opt' is both in filesystem.read and in filesystem.write");
        row("a layer that is none", "require = [\"landlok\"]",
            "2:12: require: 'landlok': no such layer; did you mean 'landlock'?");
        row("a layer twice", "require = [\"door\", \"door\"]", "2:20: require: 'door' is listed twice");
        row("an environment name", "[credentials]\nenv = [\"LC_*\"]",
            "3:8: credentials.env: 'LC_*': not the name of an environment variable");
        row("a variable with its value", "[credentials]\nenv = [\"A=b\"]",
            "3:8: credentials.env: 'A=b': a name with '='");
        row("a variable that is made", "[credentials]\nenv = [\"HOME\"]",
            "3:8: credentials.env: 'HOME': HOME is made for each session");
        row("a call that is none", "[syscalls]\nallow = [\"ptrase\"]",
            "3:10: syscalls.allow: 'ptrase': no such system call; did you mean 'ptrace'?");
        row("a profile that is none", "[syscalls]\nprofile = \"stric\"",
            "3:11: syscalls.profile: 'stric': no such profile; did you mean 'strict'?");
        row("a profile by a relative path", "[syscalls]\nprofile = \"./p.json\"",
            "3:11: syscalls.profile: './p.json': not an absolute path");
        row("nested as a word", "[workspace]\nnested = \"yes\"", "3:10: workspace.nested: true or false is wanted here");
        row("a home with a slash", "[workspace]\nhome = \"../x\"",
            "3:8: workspace.home: '../x': not a name for a kept home");
        row("memory as a number", "[limits]\nmemory = 4",
            "3:10: limits.memory: a size such as \"4GiB\" is wanted here, not an integer");
        row("memory in gigabytes", "[limits]\nmemory = \"4GB\"", "3:10: limits.memory: '4GB': not a size");
        row("memory too small", "[limits]\nmemory = \"1MiB\"",
            "3:10: limits.memory: out of range: 16777216 to 1125899906842624");
        row("scratch too large", "[limits]\nscratch = \"2000TiB\"", "3:11: limits.scratch: out of range");
        row("processes negative", "[limits]\nprocesses = -1", "3:13: limits.processes: out of range: 1 to 4194304");
        row("no processes", "[limits]\nprocesses = 0", "3:13: limits.processes: out of range: 1 to 4194304");
        row("processes as a string", "[limits]\nprocesses = \"512\"",
            "3:13: limits.processes: an integer is wanted here, not a string");
        row("processes with a fraction", "[limits]\nprocesses = 1.5",
            "3:13: limits.processes: an integer is wanted here, not a number with a fraction");
        row("open files", "[limits]\nopen_files = 9999999", "3:14: limits.open_files: out of range: 64 to 1048576");
        row("cpus not a number", "[limits]\ncpus = nan", "3:8: limits.cpus: out of range");
        row("cpus infinite", "[limits]\ncpus = inf", "3:8: limits.cpus: out of range");
        row("no cpus", "[limits]\ncpus = 0", "3:8: limits.cpus: out of range");
        row("cpus as a string", "[limits]\ncpus = \"2\"", "3:8: limits.cpus: a number is wanted here, not a string");
        row("a duration without a unit", "[limits]\nduration = \"8\"", "3:12: limits.duration: '8': not a duration");
        row("a duration as a time", "[limits]\nduration = 08:00:00",
            "3:12: limits.duration: a duration such as \"8h\" is wanted here, not a time");
        row("a duration of two years", "[limits]\nduration = \"731d\"", "3:12: limits.duration: out of range");
        row("TOML: a key twice", "[egress]\nallow = []\nallow = []", "4:9: not TOML: ");
        row("TOML: a section twice", "[egress]\n[egress]", "3:1: not TOML: ");
        row("TOML: no end of a list", "[egress]\nallow = [\"a.example\"", "3:");
        row("TOML: a table without a name", "[&", "2:2: not TOML: unexpected here");
        row("TOML: one bracket too many", " [[[a]]]", "2:4: not TOML: unexpected here");
        row("TOML: no name behind two brackets", "[egress]\n[[=", "3:3: not TOML: unexpected here");
        row("TOML: a letter outside of a string", "[egress]\nallow = [] \u00fc", "3:12: not TOML: ");
        row("TOML: a brace behind a letter of two bytes", "[egress]\nallow = [\"\u00fc\", }]",
            "3:15: not TOML: unexpected here");
        row("TOML: no value", "[egress]\nallow =\n", "3:");
    }
    void errors_name_their_place_and_what_was_meant() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, line);
        const auto policy = parse(text.toStdString());
        QVERIFY(!policy);
        const QByteArray report = all(policy.error());
        QVERIFY2(report.startsWith(line), report.data());
        QCOMPARE(policy.error().size(), std::size_t(1));
    }

    void the_version_is_required() {
        for (const char* text : {"", "# nothing\n", "[egress]\nallow = []\n"}) {
            const auto policy = parse(text);
            QVERIFY(!policy);
            QCOMPARE(policy.error()[0].text(),
                     std::string("p.toml:1:1: version is missing; write version = 1 at the top of the file"));
        }
        QCOMPARE(parse("version = 2").error()[0].text(),
                 std::string("p.toml:1:11: version: 2 is not a version that is known; this Belljar reads version = 1"));
        QCOMPARE(parse("version = \"1\"").error()[0].text(),
                 std::string("p.toml:1:11: version: an integer is wanted here, not a string"));
        QVERIFY(!parse("version = -1") && !parse("version = 1.0"));
    }

    void every_error_of_a_file_is_reported_in_order() {
        const auto policy = parse(
            "[limits]\nprocesses = 0\n[egress]\nalow = []\nallow = [\"*\", \"a b\", \"good.example\"]\n[nothing]\n");
        QVERIFY(!policy);
        QCOMPARE(all(policy.error()),
                 QByteArray(
                     "p.toml:1:1: version is missing; write version = 1 at the top of the file\n"
                     "p.toml:2:13: limits.processes: out of range: 1 to 4194304\n"
                     "p.toml:4:1: unknown key 'alow' in [egress]; did you mean 'allow'?\n"
                     "p.toml:5:10: egress.allow: '*': allows every host; name the hosts, or use default = \"observe\"\n"
                     "p.toml:5:15: egress.allow: 'a b': a space or control character\n"
                     "p.toml:6:2: unknown key 'nothing'; there are: version, require, workspace, filesystem, egress, "
                     "credentials, syscalls, limits\n"));
    }

    void a_flood_of_errors_is_cut_with_a_word_about_it() {
        std::string text = "version = 1\n";
        for (int i = 0; i < 5000; ++i)
            text += "x" + std::to_string(i) + " = 1\n";
        const auto policy = parse(text);
        QVERIFY(!policy);
        QCOMPARE(policy.error().size(), std::size_t(101));
        QCOMPARE(policy.error().back().message, std::string("more errors follow"));
    }

    void hostile_files_are_refused_and_do_not_hang_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("a NUL byte") << QByteArray("version = 1\n\0", 13);
        QTest::newRow("a NUL byte in a comment") << QByteArray("version = 1 # \0\n", 16);
        QTest::newRow("not UTF-8") << QByteArray("version = 1\n# \xff\xfe\n");
        QTest::newRow("a control character") << QByteArray("version = 1\n# \x01\n");
        QTest::newRow("deep lists") << QByteArray("version = 1\nrequire = ") + QByteArray(100'000, '[');
        QTest::newRow("deep tables") << QByteArray("version = 1\n[a") + QByteArray(".a").repeated(5'000) + "]\n";
        QTest::newRow("a program") << QByteArray("\x7f"
                                                 "ELF\x02\x01\x01");
        QTest::newRow("JSON") << QByteArray("{\"version\": 1}");
    }
    void hostile_files_are_refused_and_do_not_hang() {
        QFETCH(QByteArray, text);
        const auto policy = parse(text.toStdString());
        QVERIFY(!policy);
        QVERIFY(policy.error()[0].line > 0);
        QVERIFY(all(policy.error()).size() < 100'000);
    }

    void the_place_of_a_nul_byte_is_named() {
        QCOMPARE(parse(std::string("version = 1\nab\0c", 16)).error()[0].text(),
                 std::string("p.toml:2:3: a NUL byte: not a text file"));
    }

    void the_star_is_for_observe_alone() {
        QVERIFY(parse("version = 1\n[egress]\nallow = [\"*\"]\ndefault = \"observe\"\n"));
        QVERIFY(!parse("version = 1\n[egress]\nallow = [\"*\"]\ndefault = \"ask\"\n"));
        QVERIFY(!parse("version = 1\n[egress]\nprivate = [\"*\"]\ndefault = \"observe\"\n"));
    }

    void a_workspaces_policy_cannot_ask_for_more_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("good");
        QTest::newRow("unprotect") << QByteArray("[workspace]\nunprotect = []") << false;
        QTest::newRow("write") << QByteArray("[filesystem]\nwrite = [\"/opt\"]") << false;
        QTest::newRow("ask") << QByteArray("[egress]\ndefault = \"ask\"") << false;
        QTest::newRow("observe and everything")
            << QByteArray("[egress]\ndefault = \"observe\"\nallow = [\"*\"]") << false;
        QTest::newRow("deny") << QByteArray("[egress]\ndefault = \"deny\"") << true;
        QTest::newRow("hide") << QByteArray("[filesystem]\nhide = [\".env\"]") << true;
    }
    void a_workspaces_policy_cannot_ask_for_more() {
        QFETCH(QByteArray, text);
        QFETCH(bool, good);
        const std::string file = "version = 1\n" + text.toStdString();
        QVERIFY(parse(file, PolicyOrigin::User));
        const auto policy = parse(file, PolicyOrigin::Workspace);
        QCOMPARE(policy.has_value(), good);
        if (!good) QVERIFY(all(policy.error()).contains("can only narrow"));
    }

    void a_workspaces_policy_without_rules_is_no_set_of_rules() {
        // An empty set would allow nothing: a file that only hides something must not close the way out as well.
        QVERIFY(parse("version = 1\nfilesystem.hide = [\".env\"]", PolicyOrigin::Workspace)->egress.empty());
        QCOMPARE(parse("version = 1\negress.allow = []", PolicyOrigin::Workspace)->egress.size(), std::size_t(1));
        QCOMPARE(parse("version = 1\nfilesystem.hide = [\".env\"]", PolicyOrigin::User)->egress.size(), std::size_t(1));
    }

    void a_diagnostic_is_one_safe_line() {
        const Diagnostic diagnostic{"a\nb.toml", 3, 4, "bad \x1b[2J", "try"};
        QCOMPARE(diagnostic.text(), std::string("a\\x0ab.toml:3:4: bad \\x1b[2J; try"));
        QCOMPARE((Diagnostic{"x", 0, 0, "no such policy", {}}.text()), std::string("x: no such policy"));
    }
};

QTEST_GUILESS_MAIN(TestPolicyParse)
#include "test_policy_parse.moc"
