// Where policies are found, and that the built-in ones are what the documentation says.
#include "core/policy/parse.h"
#include "core/system/files.h"

#include <QTemporaryDir>
#include <QtTest>
#include <sys/stat.h>
#include <unistd.h>

using namespace belljar;

class TestPolicyLoad : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::string config() const { return folder_.path().toStdString() + "/config"; }
    std::string at(const std::string& name) const { return folder_.path().toStdString() + "/" + name; }
    void write(const std::string& path, const std::string& text) {
        QVERIFY(make_folders(path.substr(0, path.rfind('/'))));
        QVERIFY(write_file(path, text));
    }

private slots:
    void the_built_in_default_spells_out_the_documented_defaults() {
        const auto policy = load_policy("default", config());
        QVERIFY2(policy, policy ? "" : policy.error()[0].text().c_str());
        const Policy defaults = documented_defaults();
        QCOMPARE(policy->filesystem.system, defaults.filesystem.system);
        QCOMPARE(policy->syscalls.allow, defaults.syscalls.allow);
        QVERIFY(policy->syscalls == defaults.syscalls);
        QVERIFY(policy->limits == defaults.limits);
        QVERIFY(policy->require == defaults.require && policy->credentials_env == defaults.credentials_env);
        QVERIFY(policy->workspace.nested == defaults.workspace.nested);
        QVERIFY(policy->workspace.home == defaults.workspace.home && policy->workspace.protect.empty());
        QVERIFY(policy->filesystem.read.empty() && policy->filesystem.write.empty() && policy->filesystem.hide.empty());
        QVERIFY((policy->egress == std::vector<EgressRules>{{"default", "deny", {}, {}, {}}}));
        // Every key that exists stands in the file, but those without a default and the one whose default is long.
        QCOMPARE(policy->keys.size(), std::size_t(21));
        for (const char* key : {"limits.memory", "limits.cpus", "limits.duration", "filesystem.system"})
            QVERIFY2(!policy->sets(key), key);
    }

    void the_built_in_offline_policy_allows_nothing() {
        const auto policy = load_policy("offline", config());
        QVERIFY2(policy, policy ? "" : policy.error()[0].text().c_str());
        QVERIFY((policy->egress == std::vector<EgressRules>{{"offline", "deny", {}, {}, {}}}));
        QCOMPARE(policy->syscalls.profile, std::string("strict"));
        QVERIFY(policy->syscalls.allow.empty() && policy->credentials_env.empty());
    }

    void every_built_in_policy_is_valid_and_explains_each_line() {
        int seen = 0;
        for (const PolicyListing& listing : list_policies(config())) {
            const auto policy = load_policy(listing.name, config());
            QVERIFY2(policy, policy ? "" : policy.error()[0].text().c_str());
            QVERIFY2(!listing.summary.empty(), listing.name.c_str());
            const auto text = read_file(listing.file);
            QVERIFY(text);
            bool explained = false, open = false; // by a comment above or behind; of a list over several lines each entry
            for (const QByteArray& raw : QByteArray::fromStdString(*text).split('\n')) {
                const QByteArray line = raw.trimmed();
                if (line.startsWith('#'))
                    explained = true;
                else if (line.isEmpty() || line.startsWith('['))
                    explained = false;
                else if (line.endsWith('[') || line == "]")
                    open = line != "]";
                else
                    QVERIFY2((explained && !open) || line.contains(" # "), (listing.name + ": " + line.toStdString()).c_str());
            }
            ++seen;
        }
        QCOMPARE(seen, 11);
    }

    void registries_are_never_named_but_by_their_words() {
        for (const auto& [name, word] : {std::pair{"node", "@npm"}, {"python", "@pip"}, {"rust", "@cargo"}, {"go", "@go"}}) {
            const auto policy = load_policy(name, config());
            QVERIFY(policy);
            QCOMPARE(policy->egress[0].allow, std::vector<std::string>{word});
        }
    }

    void what_holds_keys_or_tokens_is_in_no_built_in_policy() {
        for (const PolicyListing& listing : list_policies(config())) {
            const auto policy = load_policy(listing.name, config());
            QVERIFY(policy && policy->filesystem.write.empty());
            for (const std::string& path : policy->filesystem.read)
                for (const char* secret : {"~/.cargo", "~/.npmrc", "~/.config", "~/.netrc", "~/.claude", "~/.codex", "~/.gemini",
                                           "~/.local", "~/.local/share", "~/.ssh", "~/.m2", "~/go"})
                    QVERIFY2(path != secret, (listing.name + " " + path).c_str());
            for (const char* agent : {"claude", "codex", "gemini", "opencode"})
                if (listing.name == std::string("agent-") + agent) QCOMPARE(policy->workspace.home, std::string(agent));
        }
    }

    void the_review_policy_leaves_the_workspace_as_it_is() {
        const auto policy = load_policy("review", config());
        QVERIFY(policy && policy->workspace.read_only && policy->egress[0].allow.empty() && policy->filesystem.write.empty());
    }

    void no_visible_system_path_holds_a_secret_or_is_made_by_the_session() {
        for (const std::string& path : default_system_paths()) {
            for (const char* secret :
                 {"shadow", "sudoers", "private", "ssh_host", "machine-id", "npmrc", "pip.conf", "environment"})
                QVERIFY2(path.find(secret) == std::string::npos, path.c_str());
            for (const char* made : {"/etc", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/resolv.conf",
                                     "/etc/nsswitch.conf", "/etc/hostname", "/etc/ssl", "/etc/ssh", "/etc/pki"})
                QVERIFY2(path != made, path.c_str());
        }
    }

    void the_users_policy_comes_before_the_built_in_one_of_that_name() {
        QTemporaryDir other;
        const std::string folder = other.path().toStdString();
        write(folder + "/policies/offline.toml", "# mine\nversion = 1\negress.allow = [\"a.example\"]\n");
        write(folder + "/policies/web.toml", "\n  \n#  the web, to read\nversion = 1\n");
        write(folder + "/policies/.hidden.toml", "version = 1\n");
        write(folder + "/policies/notes.txt", "no policy\n");
        const auto policy = load_policy("offline", folder);
        QVERIFY(policy && policy->egress[0].allow.size() == 1 && policy->egress[0].source == "offline");
        QCOMPARE(policy->file, folder + "/policies/offline.toml");

        const auto list = list_policies(folder);
        std::map<std::string, PolicyListing> by_name;
        for (const PolicyListing& one : list)
            by_name[one.name] = one;
        QCOMPARE(by_name.size(), list.size());
        QVERIFY(!by_name.contains(".hidden") && !by_name.contains("notes"));
        QCOMPARE(by_name["offline"].origin, std::string("user"));
        QCOMPARE(by_name["offline"].summary, std::string("mine"));
        QCOMPARE(by_name["web"].summary, std::string("the web, to read"));
        QCOMPARE(by_name["default"].origin, std::string("built-in"));
        QVERIFY(by_name["default"].summary.starts_with("What a session may do"));
    }

    void a_path_is_a_path() {
        write(at("p/own.toml"), "version = 1\nlimits.processes = 7\n");
        const auto policy = load_policy(at("p/own.toml"), config());
        QVERIFY(policy && policy->limits.processes == 7 && policy->name == at("p/own.toml"));
        QVERIFY(!load_policy(at("p/none.toml"), config()));
        QVERIFY(!load_policy("own.toml", config())); // relative to the working folder, not to the policies
    }

    void a_name_that_is_not_there_brings_the_nearest() {
        QCOMPARE(load_policy("ofline", config()).error()[0].text(),
                 std::string("ofline: no such policy; did you mean 'offline'?"));
        const std::string text = load_policy("zzz", config()).error()[0].text();
        QVERIFY2(text.starts_with("zzz: no such policy; there are: agent-claude, agent-codex, agent-gemini, agent-opencode, "
                                  "default, go, node, offline, python, review, rust"), text.c_str());
    }

    void odd_names_are_refused() {
        for (const std::string& name :
             {std::string(), std::string("."), std::string(".."), std::string("-p"), std::string("a b"),
              std::string("a\nb"), std::string("default\0x", 9), std::string(5000, 'a')})
            QVERIFY(!load_policy(name, config()));
    }

    void what_cannot_be_read_is_an_error_and_not_taken_for_absent() {
        QTemporaryDir other;
        const std::string folder = other.path().toStdString();
        QVERIFY(make_folders(folder + "/policies/default.toml")); // a folder in the place of the file
        QVERIFY(!load_policy("default", folder));
        write(folder + "/policies/offline.toml", std::string(kLargestPolicy + 1, '#'));
        const auto large = load_policy("offline", folder);
        QVERIFY(!large && large.error()[0].text().find("larger than") != std::string::npos);
    }

    void a_workspace_has_a_policy_of_its_own_or_none() {
        QVERIFY(make_folders(at("w")));
        const auto none = load_workspace_policy(at("w"));
        QVERIFY(none && !*none);
        write(at("w/.belljar/policy.toml"), "version = 1\nlimits.processes = 7\n");
        const auto own = load_workspace_policy(at("w"));
        QVERIFY(own && *own && (*own)->limits.processes == 7);
    }

    // The error of a policy shows the line that it is about, and the link may lead to any file of the user's.
    void a_workspaces_policy_is_not_read_through_a_link() {
        write(at("elsewhere/policy.toml"), "secret line\n");
        QVERIFY(make_folders(at("file/.belljar")) && make_folders(at("folder")));
        QCOMPARE(::symlink(at("elsewhere/policy.toml").c_str(), at("file/.belljar/policy.toml").c_str()), 0);
        QCOMPARE(::symlink(at("elsewhere").c_str(), at("folder/.belljar").c_str()), 0);
        for (const char* workspace : {"file", "folder"}) {
            const auto policy = load_workspace_policy(at(workspace));
            QVERIFY(!policy);
            const std::string text = policy.error()[0].text();
            QVERIFY2(text.find("symbolic link") != std::string::npos && text.find("secret") == std::string::npos, text.c_str());
        }
    }

    void a_fifo_in_the_place_of_a_policy_does_not_hold_us_up() {
        QTemporaryDir other;
        const std::string folder = other.path().toStdString();
        QVERIFY(make_folders(folder + "/policies"));
        QCOMPARE(::mkfifo((folder + "/policies/default.toml").c_str(), 0600), 0);
        QVERIFY(!load_policy("default", folder));
    }
};

QTEST_GUILESS_MAIN(TestPolicyLoad)
#include "test_policy_load.moc"
