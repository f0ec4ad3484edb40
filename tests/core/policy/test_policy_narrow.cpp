// A workspace's policy narrows the user's and never widens it, whatever it asks for.
#include "core/policy/parse.h"

#include <QtTest>

using namespace belljar;
using Strings = std::vector<std::string>;

namespace {

Policy user(const std::string& text) {
    return *parse_policy("version = 1\n" + text, "/home/u/p.toml", "mine", PolicyOrigin::User);
}
Policy workspace(const std::string& text) {
    return *parse_policy("version = 1\n" + text, "/w/.belljar/policy.toml", ".belljar/policy.toml",
                         PolicyOrigin::Workspace);
}
QByteArray joined(const Strings& notes) {
    QByteArray all;
    for (const std::string& note : notes)
        all += QByteArray::fromStdString(note) + '\n';
    return all;
}

const char* kUser = R"(
require = ["landlock"]
[workspace]
home = "kept"
nested = true
[filesystem]
read = ["~/.cargo", "/opt/a/b", "/srv"]
hide = [".env"]
[egress]
allow = ["*.example.net", "github.com:*", "192.0.2.0/24"]
deny = ["bad.example.net"]
private = ["git.corp.example", "10.0.0.0/8"]
[credentials]
env = ["EDITOR", "TOKEN"]
[syscalls]
allow = ["ptrace", "perf_event_open"]
deny = ["bpf"]
[limits]
processes = 100
scratch = "1GiB"
)";

} // namespace

class TestPolicyNarrow : public QObject {
    Q_OBJECT

private slots:
    void a_policy_that_says_nothing_narrows_nothing() {
        const Policy before = user(kUser);
        Strings notes;
        const Policy after = narrow(before, workspace(""), notes);
        QVERIFY2(notes.empty(), joined(notes).data());
        QVERIFY(after.egress == before.egress && after.limits == before.limits && after.syscalls == before.syscalls);
        QVERIFY(after.filesystem.read == before.filesystem.read && after.filesystem.system == before.filesystem.system);
        QVERIFY(after.credentials_env == before.credentials_env && after.workspace.home == "kept");
        QVERIFY(after.workspace.nested);
    }

    void namespaces_inside_may_be_switched_off_and_not_on() {
        Strings notes;
        QVERIFY(!narrow(user(kUser), workspace("workspace.nested = false"), notes).workspace.nested);
        QVERIFY(!narrow(user(""), workspace("workspace.nested = false"), notes).workspace.nested);
        const auto on = parse_policy("version = 1\nworkspace.nested = true", "f", "w", PolicyOrigin::Workspace);
        QVERIFY(!on && on.error()[0].text().find("can only narrow") != std::string::npos);
    }

    void the_narrowed_policy_says_that_two_files_took_part() {
        Strings notes;
        const Policy before = user(kUser), after = narrow(before, workspace(""), notes);
        QCOMPARE(after.name, std::string("mine + .belljar/policy.toml"));
        QVERIFY(after.sha256.size() == 64 && after.sha256 != before.sha256);
        QVERIFY(after.sha256 != narrow(before, workspace("# other"), notes).sha256);
    }

    void what_is_asked_for_and_allowed_is_all_that_is_left() {
        Strings notes;
        const Policy after = narrow(user(kUser), workspace(R"(
[filesystem]
system = ["/usr", "/bin"]
read = ["~/.cargo/registry", "/opt/a"]
[egress]
allow = ["a.example.net", "github.com"]
[credentials]
env = ["EDITOR"]
[syscalls]
allow = ["ptrace"]
[limits]
processes = 50
duration = "1h"
memory = "1GiB"
)"),
                                    notes);
        QVERIFY2(notes.empty(), joined(notes).data());
        QCOMPARE(after.filesystem.system, (Strings{"/usr", "/bin"}));
        QCOMPARE(after.filesystem.read, (Strings{"~/.cargo/registry", "/opt/a/b"}));
        QCOMPARE(after.egress.size(), std::size_t(2));
        QVERIFY(after.egress[0] == user(kUser).egress[0]);
        QCOMPARE(after.egress[1].source, std::string(".belljar/policy.toml"));
        QCOMPARE(after.egress[1].allow, (Strings{"a.example.net", "github.com"}));
        QCOMPARE(after.credentials_env, Strings{"EDITOR"});
        QCOMPARE(after.syscalls.allow, Strings{"ptrace"});
        QCOMPARE(after.limits.processes, std::uint64_t(50));
        QVERIFY(after.limits.duration_seconds == 3600u && after.limits.memory_bytes == 1u << 30);
        QCOMPARE(after.limits.scratch_bytes, std::uint64_t(1) << 30);
    }

    void what_is_asked_for_beyond_is_not_given_and_said() {
        Strings notes;
        const Policy before = user(kUser);
        const Policy after = narrow(before, workspace(R"(
[workspace]
home = "theirs"
[filesystem]
system = ["/usr", "/var/secrets"]
read = ["~/.cargo", "~/.ssh", "/srv-other"]
[egress]
allow = ["evil.test", "example.net", "github.com:*", "192.0.0.0/16"]
[credentials]
env = ["TOKEN", "AWS_SECRET_ACCESS_KEY"]
[syscalls]
allow = ["ptrace", "mount"]
[limits]
processes = 101
scratch = "2GiB"
)"),
                                    notes);
        QCOMPARE(after.workspace.home, std::string("kept"));
        QCOMPARE(after.filesystem.system, Strings{"/usr"});
        QCOMPARE(after.filesystem.read, Strings{"~/.cargo"});
        QCOMPARE(after.credentials_env, Strings{"TOKEN"});
        QCOMPARE(after.syscalls.allow, Strings{"ptrace"});
        QVERIFY(after.limits == before.limits);
        QVERIFY(after.egress[0] == before.egress[0]); // the user's set stands unchanged before the workspace's
        const QByteArray said = joined(notes);
        for (const char* asked :
             {"'theirs'", "'/var/secrets'", "'~/.ssh'", "'/srv-other'", "'evil.test'", "'example.net'",
              "'192.0.0.0/16'", "'AWS_SECRET_ACCESS_KEY'", "'mount'", "'101'", "limits.scratch"})
            QVERIFY2(said.contains(asked), asked);
        QVERIFY(!said.contains("'github.com:*'") && !said.contains("'TOKEN'"));
        QCOMPARE(notes.size(), std::size_t(11));
    }

    void a_registry_word_holds_where_both_name_it() {
        const Policy mine = user("egress.allow = [\"@npm\", \"@pip\"]\negress.private = [\"@npm\"]\n");
        const std::vector<RegistryMeaning> meanings{{"@npm", {"registry.example", "scoped.example:4873"}, {}, {}}, {"@pip", {"index.example"}, {}, {}}};
        Strings notes;
        Policy after = narrow(mine, workspace("egress.allow = [\"@npm\"]"), notes, meanings);
        QVERIFY2(notes.empty(), joined(notes).data());
        QCOMPARE(after.egress[1].allow, Strings{"@npm"});
        QCOMPARE(after.egress[1].private_names, Strings{"@npm"});
        after = narrow(mine, workspace("egress.allow = [\"@npm\", \"@cargo\"]\negress.private = [\"@pip\"]"), notes, meanings);
        QCOMPARE(after.egress[1].allow, Strings{"@npm"}); // the other was never looked up, and is not given
        QVERIFY(after.egress[1].private_names.empty());
        QVERIFY(joined(notes).contains("'@cargo'") && joined(notes).contains("'@pip'"));
        notes.clear();
        after = narrow(mine, workspace("egress.allow = [\"scoped.example:4873\", \"evil.test\"]"), notes, meanings);
        QCOMPARE(notes.size(), std::size_t(1)); // a host that a word of the user's stands for may be named
        QVERIFY(joined(notes).contains("'evil.test'"));
    }

    void a_workspace_may_name_what_stands_behind_allow() {
        Strings notes;
        const std::vector<RegistryMeaning> meanings{{"@npm", {"registry.example"}, {}, {}}};
        Policy after = narrow(user("egress.allow = []"), workspace("egress.allow = [\"@npm\", \"registry.example\", \"one.example\"]"), notes,
                              meanings, {"@npm", "one.example"});
        QVERIFY2(notes.empty(), joined(notes).data());
        QCOMPARE(after.egress[1].allow, (Strings{"@npm", "registry.example", "one.example"}));
        QVERIFY(after.egress[0].allow.empty()); // added later
        after = narrow(user("egress.allow = []"), workspace("egress.allow = [\"@npm\"]"), notes, meanings);
        QVERIFY(after.egress[1].allow.empty() && joined(notes).contains("'@npm'"));
    }

    void a_workspace_can_be_made_read_only_and_not_writable() {
        Strings notes;
        QVERIFY(narrow(user(kUser), workspace("workspace.read_only = true"), notes).workspace.read_only);
        QVERIFY(notes.empty());
        QVERIFY(narrow(user("workspace.read_only = true"), workspace("workspace.read_only = false"), notes).workspace.read_only);
        QCOMPARE(notes.size(), std::size_t(1));
        QVERIFY(narrow(user("workspace.read_only = true"), workspace(""), notes).workspace.read_only);
        QVERIFY(!narrow(user(kUser), workspace(""), notes).workspace.read_only);
    }

    void an_empty_list_takes_everything_away() {
        Strings notes;
        const Policy after = narrow(
            user(kUser),
            workspace(
                "[filesystem]\nread = []\n[egress]\nallow = []\n[credentials]\nenv = []\n[syscalls]\nallow = []\n"),
            notes);
        QVERIFY(after.filesystem.read.empty() && after.credentials_env.empty() && after.syscalls.allow.empty());
        QVERIFY(after.egress.size() == 2 && after.egress[1].allow.empty());
        QVERIFY(notes.empty());
    }

    void denials_are_united() {
        Strings notes;
        const Policy after = narrow(user(kUser), workspace(R"(
require = ["filter", "landlock"]
workspace.protect = ["ci/key.pub"]
[filesystem]
hide = ["secrets/", ".env"]
[egress]
deny = ["gist.github.com"]
[syscalls]
deny = ["ptrace", "bpf"]
)"),
                                    notes);
        QVERIFY2(notes.empty(), joined(notes).data());
        QCOMPARE(after.require, (Strings{"landlock", "filter"}));
        QCOMPARE(after.workspace.protect, Strings{"ci/key.pub"});
        QCOMPARE(after.filesystem.hide, (Strings{".env", "secrets"}));
        QCOMPARE(after.syscalls.deny, (Strings{"bpf", "ptrace"}));
        QCOMPARE(after.egress.size(), std::size_t(1)); // denials alone are no allowlist
        QCOMPARE(after.egress[0].allow, user(kUser).egress[0].allow);
        QCOMPARE(after.egress[0].deny, (Strings{"bad.example.net", "gist.github.com"}));
    }

    void private_names_are_the_users_to_give() {
        Strings notes;
        QCOMPARE(narrow(user(kUser), workspace("egress.allow = [\"github.com\"]"), notes).egress[1].private_names,
                 (Strings{"git.corp.example", "10.0.0.0/8"}));
        QVERIFY(notes.empty());
        const Policy both = narrow(
            user(kUser),
            workspace("egress.allow = [\"github.com\"]\negress.private = [\"10.1.0.0/16\", \"github.com\"]"), notes);
        QCOMPARE(both.egress[1].private_names, Strings{"10.1.0.0/16"});
        QCOMPARE(notes.size(), std::size_t(1));
        notes.clear();
        const Policy alone = narrow(user(kUser), workspace("egress.private = []"), notes);
        QVERIFY(alone.egress.size() == 1 && alone.egress[0].private_names.empty());
    }

    void only_a_stricter_profile_is_taken() {
        Strings notes;
        QCOMPARE(narrow(user(""), workspace("syscalls.profile = \"strict\""), notes).syscalls.profile,
                 std::string("strict"));
        QCOMPARE(narrow(user(kUser), workspace("syscalls.profile = \"strict\""), notes).syscalls.allow.size(),
                 std::size_t(2));
        QVERIFY(notes.empty());
        QCOMPARE(narrow(user("syscalls.profile = \"strict\""), workspace("syscalls.profile = \"default\""), notes)
                     .syscalls.profile,
                 std::string("strict"));
        QCOMPARE(narrow(user(""), workspace("syscalls.profile = \"/w/evil.json\""), notes).syscalls.profile,
                 std::string("default"));
        QCOMPARE(notes.size(), std::size_t(2));
    }

    void a_home_of_the_sessions_own_may_be_asked_for() {
        Strings notes;
        QCOMPARE(narrow(user(kUser), workspace("workspace.home = \"session\""), notes).workspace.home,
                 std::string("session"));
        QVERIFY(notes.empty());
    }

    void notes_are_safe_lines() {
        Policy asked = workspace("");
        asked.credentials_env = {"A\x1b[2J\n"};
        asked.keys.push_back("credentials.env");
        std::sort(asked.keys.begin(), asked.keys.end());
        Strings notes;
        narrow(user(kUser), asked, notes);
        QVERIFY(notes.size() == 1 && notes[0].find('\x1b') == std::string::npos &&
                notes[0].find('\n') == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestPolicyNarrow)
#include "test_policy_narrow.moc"
