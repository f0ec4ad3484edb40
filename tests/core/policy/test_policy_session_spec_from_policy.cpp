// Policy → spec: what a session gets, and what is refused because nothing enforces it yet.
#include "core/policy/parse.h"
#include "core/policy/spec_from_policy.h"
#include "core/system/files.h"

#include <QTemporaryDir>
#include <QtTest>
#include <sys/stat.h>
#include <unistd.h>

using namespace belljar;
using Strings = std::vector<std::string>;

class TestPolicySessionSpecFromPolicy : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::string root_, home_;
    SessionRequest request_;

    Policy policy(const std::string& text) const {
        return *parse_policy("version = 1\n" + text, "p.toml", "p", PolicyOrigin::User);
    }
    Result<SessionSpec> make(const std::string& text) const { return make_session_spec(policy(text), request_); }
    QByteArray refusal(const std::string& text) const {
        const auto spec = make(text);
        return spec ? QByteArray() : QByteArray::fromStdString(spec.error().message());
    }
    Strings mounts(const SessionSpec& spec) const {
        Strings out;
        for (const MountSpec& mount : spec.mounts) {
            const char mode = mount.mode == MountMode::Read ? 'r' : mount.mode == MountMode::Write ? 'w' : 'h';
            out.push_back(std::string(1, mode) + " " +
                          (mount.path.starts_with(root_) ? mount.path.substr(root_.size()) : mount.path));
        }
        return out;
    }

private slots:
    void initTestCase() {
        root_ = QDir(folder_.path()).canonicalPath().toStdString();
        home_ = root_ + "/home/u";
        for (const char* path : {"/home/u/w/secrets", "/home/u/w/sub", "/home/u/.cargo/registry", "/home/u/.cache/x",
                                 "/home/u/state/s", "/home/u/state/other", "/home/u/run/s", "/home/u/homes/kept", "/opt/tool"})
            QVERIFY(make_folders(root_ + path));
        for (const char* path : {"/home/u/w/.env", "/home/u/.netrc", "/opt/tool/key"})
            QVERIFY(write_file(root_ + path, "x"));
        request_.id = "0123456789ab";
        request_.name = "try";
        request_.argv = {"bash", "-c", "true"};
        request_.workspace = request_.working_directory = home_ + "/w";
        request_.account = {"u", home_, "/usr/bin/bash", 1000, 1001};
        request_.state_folder = home_ + "/state/s";
        request_.runtime_folder = home_ + "/run/s";
        request_.homes_folder = home_ + "/homes";
        request_.environment = {"PATH=/usr/bin",
                                "TERM=xterm",
                                "LC_ALL=C.UTF-8",
                                "LC_x=1",
                                "SSH_AUTH_SOCK=/run/agent",
                                "AWS_SECRET_ACCESS_KEY=s3cret",
                                "EDITOR=vim",
                                "TOKEN=t=1",
                                "HOME=/elsewhere",
                                "PWD=/elsewhere",
                                "LD_PRELOAD=/evil.so",
                                "PATH=/second",
                                "nonsense",
                                "=x"};
    }

    void namespaces_inside_and_landlock_as_a_required_layer_exclude_each_other() {
        const auto nested = make("workspace.nested = true\n");
        QVERIFY(nested && nested->syscalls.nested && parse_session_spec(to_json(*nested)) == *nested);
        QVERIFY(!make("")->syscalls.nested);
        const auto both = make("require = [\"landlock\"]\nworkspace.nested = true\n");
        QVERIFY(!both && both.error().message().find("workspace.nested: it and the required layer") != std::string::npos);
    }

    void what_the_request_and_the_policy_say_stands_in_the_spec() {
        request_.terminal.standard_output = StreamKind::Pipe;
        request_.detached = true;
        const auto spec = make("require = [\"landlock\"]\negress.allow = [\"a.example\"]\nsyscalls.deny = "
                               "[\"bpf\"]\nlimits.duration = \"1h\"\n");
        request_.terminal = {};
        request_.detached = false;
        QVERIFY2(spec, spec ? "" : spec.error().message().c_str());
        QCOMPARE(spec->id, request_.id);
        QCOMPARE(spec->name, std::string("try"));
        QCOMPARE(spec->argv, request_.argv);
        QCOMPARE(spec->workspace, home_ + "/w");
        QVERIFY(spec->workspace_writable && spec->detached);
        QCOMPARE(spec->user, std::string("u"));
        QVERIFY(spec->uid == 1000 && spec->gid == 1001);
        QCOMPARE(spec->home, home_);
        QCOMPARE(spec->shell, std::string("/usr/bin/bash"));
        QCOMPARE(spec->policy_name, std::string("p"));
        QCOMPARE(spec->policy_sha256.size(), std::size_t(64));
        QCOMPARE(spec->require, Strings{"landlock"});
        QCOMPARE(spec->system, default_system_paths());
        QVERIFY(spec->mounts.empty());
        QVERIFY((spec->egress == std::vector<EgressRules>{{"p", "deny", {"a.example"}, {}, {}}}));
        QCOMPARE(spec->syscalls.deny, Strings{"bpf"});
        QVERIFY(spec->limits.duration_seconds == 3600u);
        QVERIFY(spec->terminal.standard_output == StreamKind::Pipe);
        QCOMPARE(spec->state_folder, request_.state_folder);
        QCOMPARE(spec->runtime_folder, request_.runtime_folder);
        QVERIFY(parse_session_spec(to_json(*spec)) == *spec); // and can be sent
    }

    void only_named_variables_pass() {
        request_.extra_env = {"TOKEN", "NOT_SET"};
        const auto spec = make("credentials.env = [\"EDITOR\"]\n");
        request_.extra_env.clear();
        QVERIFY(spec);
        QCOMPARE(spec->environment, (Strings{"EDITOR=vim", "HOME=" + home_, "LC_ALL=C.UTF-8", "LOGNAME=u",
                                             "PATH=/usr/bin", "PWD=" + home_ + "/w", "SHELL=/usr/bin/bash",
                                             "TERM=xterm", "TMPDIR=/tmp", "TOKEN=t=1", "USER=u"}));
    }

    void a_launcher_without_a_path_gets_the_usual_one() {
        SessionRequest bare = request_;
        bare.environment.clear();
        const auto spec = make_session_spec(policy(""), bare);
        QVERIFY(spec && std::find(spec->environment.begin(), spec->environment.end(),
                                  "PATH=/usr/local/bin:/usr/bin:/bin") != spec->environment.end());
        QCOMPARE(spec->environment.size(), std::size_t(7));
    }

    void odd_variables_on_the_command_line_are_refused() {
        for (const char* name : {"A=b", "HOME", "LC_*", ""}) {
            SessionRequest odd = request_;
            odd.extra_env = {name};
            QVERIFY2(!make_session_spec(policy(""), odd), name);
        }
    }

    void a_shell_that_is_not_visible_inside_is_replaced() {
        SessionRequest other = request_;
        for (const char* shell : {"/home/u/fish", "", "bash", "/usrlocal/bin/sh"}) {
            other.account.shell = shell;
            QCOMPARE(make_session_spec(policy(""), other)->shell, std::string("/bin/sh"));
        }
    }

    void what_nothing_enforces_yet_is_refused_by_name_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char* text, const char* said) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(said);
        };
        row("workspace.protect = [\"ci/key\"]", "policy p: workspace.protect: protected paths are not enforced yet");
        row("egress.default = \"ask\"", "policy p: egress.default: \"ask\" is not there yet");
        row("egress.default = \"observe\"", "policy p: egress.default: \"observe\" is not there yet");
        row("syscalls.profile = \"/p.json\"", "policy p: syscalls.profile: OCI profiles are not read yet");
        row("limits.memory = \"4GiB\"", "policy p: limits.memory: it needs the system helper");
        row("limits.cpus = 2.0", "policy p: limits.cpus: it needs the system helper");
        row("require = [\"apparmor\"]", "policy p: require: the layer 'apparmor' needs the system helper");
        row("require = [\"landlock\", \"kernel-uid\"]", "the layer 'kernel-uid' needs the system helper");
        row("require = [\"cgroup-limits\"]", "the layer 'cgroup-limits' needs the system helper");
    }
    void what_nothing_enforces_yet_is_refused_by_name() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, said);
        const QByteArray message = refusal(text.toStdString());
        QVERIFY2(message.contains(said), message.data());
        QVERIFY(message.contains("; ")); // and what to do about it
    }

    void the_layers_that_hold_rootless_may_be_required() {
        QVERIFY(make("require = [\"user-namespace\", \"pid-namespace\", \"network-namespace\", \"filter\", "
                     "\"landlock\", \"door\", \"record\"]"));
        QVERIFY(make("workspace.unprotect = [\".vscode\"]")); // nothing is protected yet: nothing is lost
    }

    void listed_paths_become_mounts_in_an_order_that_builds() {
        const auto spec = make("[filesystem]\nwrite = [\"~/.cache/x\"]\nread = [\"~/.netrc\", \"" + root_ +
                               "/opt/tool\", \"~/.cargo/registry\", \"~/.cargo\"]\n"
                               "hide = [\"secrets/\", \".env\", \"" +
                               root_ + "/opt/tool/key\", \"not-there\", \"~/.ssh\"]\n");
        QVERIFY2(spec, spec ? "" : spec.error().message().c_str());
        QCOMPARE(mounts(*spec),
                 (Strings{"w /home/u/.cache/x", "r /home/u/.cargo", "r /home/u/.cargo/registry", "r /home/u/.netrc",
                          "r /opt/tool", "h /home/u/w/.env", "h /home/u/w/secrets", "h /opt/tool/key"}));
    }

    void what_is_hidden_but_not_visible_needs_no_mask() {
        QVERIFY(make("filesystem.hide = [\"~/.netrc\", \"/var\"]")->mounts.empty());
        QCOMPARE(mounts(*make("filesystem.hide = [\"/usr/share\"]")), Strings{"h /usr/share"});
    }

    void a_symlink_is_followed_before_anything_is_decided() {
        const std::string link = home_ + "/link";
        const auto point = [&](const std::string& target) {
            ::unlink(link.c_str());
            return ::symlink(target.c_str(), link.c_str()) == 0;
        };
        QVERIFY(point(root_ + "/opt/tool"));
        QCOMPARE(mounts(*make("filesystem.read = [\"~/link\"]")), Strings{"r /opt/tool"});
        QVERIFY(point("/proc"));
        QVERIFY(refusal("filesystem.read = [\"~/link\"]").contains("a session has a /proc of its own"));
        QVERIFY(point("/"));
        QVERIFY(refusal("filesystem.write = [\"~/link\"]").contains("would show the whole system"));
        QVERIFY(point(home_));
        QVERIFY(refusal("filesystem.write = [\"~/link\"]").contains("it holds the whole home"));
        QVERIFY(point(home_ + "/w/.env"));
        QCOMPARE(mounts(*make("filesystem.hide = [\"~/link\"]")), Strings{"h /home/u/w/.env"});
        QVERIFY(point(root_ + "/opt/tool"));
        QVERIFY(refusal("filesystem.read = [\"~/link\"]\nfilesystem.write = [\"" + root_ + "/opt/tool\"]")
                    .contains("the same path"));
        ::unlink(link.c_str());
    }

    void what_would_open_too_much_is_refused_data() {
        QTest::addColumn<QByteArray>("text"); // ROOT stands for the test's root
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char* text, const char* said) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(said);
        };
        row("filesystem.read = [\"ROOT/home\"]", "it holds the whole home");
        row("filesystem.read = [\"~/w\"]", "it holds the workspace");
        row("filesystem.write = [\"~/state\"]", "Belljar's own folder");
        row("filesystem.read = [\"~/homes/kept\"]", "Belljar's own folder");
        row("filesystem.read = [\"~/state\"]", "Belljar's own folder");
        row("filesystem.read = [\"~/run/s\"]", "Belljar's own folder");
        row("filesystem.read = [\"~/state/other\"]", "Belljar's own folder");
        row("filesystem.system = [\"/usr\", \"ROOT\"]", "it holds the whole home");
        row("filesystem.write = [\"~/not-there\"]", "No such file or directory");
        row("filesystem.hide = [\"~/w\"]", "it would hide the workspace itself");
        row("filesystem.hide = [\"/\"]", "it would hide the workspace itself");
    }
    void what_would_open_too_much_is_refused() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, said);
        const QByteArray message = refusal(text.replace("ROOT", root_.data()).toStdString());
        QVERIFY2(message.contains(said), message.data());
    }

    void belljar_s_own_folders_stay_out_of_reach_where_their_names_lead_through_a_link() {
        QCOMPARE(::symlink(home_.c_str(), (root_ + "/link").c_str()), 0);
        SessionRequest linked = request_;
        linked.state_folder = root_ + "/link/state/s";
        linked.homes_folder = root_ + "/link/homes";
        for (const char* path : {"~/state/other", "~/homes/kept"}) {
            const auto spec = make_session_spec(policy(std::string("filesystem.read = [\"") + path + "\"]"), linked);
            QVERIFY2(!spec && spec.error().message().find("Belljar's own folder") != std::string::npos, path);
        }
    }

    void sockets_and_pipes_stay_outside() {
        QCOMPARE(::mkfifo((home_ + "/pipe").c_str(), 0600), 0);
        QVERIFY(refusal("filesystem.read = [\"~/pipe\"]").contains("neither a file nor a folder"));
    }

    void paths_of_the_command_line_must_exist_and_are_checked() {
        SessionRequest more = request_;
        more.extra_read = {root_ + "/opt/tool"};
        QCOMPARE(mounts(*make_session_spec(policy(""), more)), Strings{"r /opt/tool"});
        for (const std::string& path : {home_ + "/not-there", home_, std::string("/proc"), std::string("relative"),
                                        std::string("/opt/../etc"), std::string("/")}) {
            more.extra_read = {path};
            const auto spec = make_session_spec(policy(""), more);
            QVERIFY2(!spec && spec.error().what.starts_with("--read"), path.c_str());
        }
    }

    void hosts_of_the_command_line_are_rules_of_the_users_set() {
        SessionRequest more = request_;
        more.extra_allow = {"b.example:22", "a.example"};
        Policy both = policy("egress.allow = [\"a.example\"]");
        both.egress.push_back({".belljar/policy.toml", "deny", {"a.example"}, {}, {}});
        const auto spec = make_session_spec(both, more);
        QVERIFY(spec && spec->egress.size() == 2);
        QCOMPARE(spec->egress[0].allow, (Strings{"a.example", "b.example:22"}));
        QCOMPARE(spec->egress[1].allow, Strings{"a.example"});
        for (const char* host : {"*", "*.com", "", "a b", "localhost"}) {
            more.extra_allow = {host};
            QVERIFY2(!make_session_spec(both, more), host);
        }
    }

    void a_kept_home_and_a_read_only_workspace_stand_in_the_spec() {
        const auto own = make("");
        QVERIFY(own && own->kept_home.empty() && own->workspace_writable);
        const auto kept = make("[workspace]\nhome = \"kept\"\nread_only = true\n");
        QVERIFY(kept && !kept->workspace_writable);
        QCOMPARE(kept->kept_home, home_ + "/homes/kept");
        QVERIFY(parse_session_spec(to_json(*kept)) == *kept);
    }

    void registry_words_give_way_to_the_hosts_they_stand_for() {
        SessionRequest more = request_;
        more.extra_allow = {"@pip"};
        more.registries = {{"@npm", {"registry.example:4873", "host:4874", "a.example"}, {"npm_config_registry=https://registry.example:4873/"}, {}},
                           {"@pip", {"198.51.100.10:80"}, {"PIP_INDEX_URL=http://198.51.100.10/", "EDITOR=emacs"}, {}},
                           {"@go", {"proxy.example"}, {"GOPROXY=https://proxy.example"}, {}}};
        const auto spec = make_session_spec(policy("[egress]\nallow = [\"a.example\", \"@npm\"]\ndeny = [\"@go\"]\nprivate = [\"@npm\", \"@pip\"]\n"
                                                   "[credentials]\nenv = [\"EDITOR\"]\n"), more);
        QVERIFY2(spec, spec ? "" : spec.error().message().c_str());
        QCOMPARE(spec->egress[0].allow, (Strings{"a.example", "registry.example:4873", "host:4874", "198.51.100.10:80"}));
        QCOMPARE(spec->egress[0].deny, Strings{"proxy.example"});
        QCOMPARE(spec->egress[0].private_names, (Strings{"registry.example", "a.example", "198.51.100.10"}));
        const auto told = [&](const char* entry) {
            return std::find(spec->environment.begin(), spec->environment.end(), entry) != spec->environment.end();
        };
        QVERIFY(told("npm_config_registry=https://registry.example:4873/") && told("PIP_INDEX_URL=http://198.51.100.10/"));
        QVERIFY(told("EDITOR=vim"));                         // what is named passes as it stands
        QVERIFY(!told("GOPROXY=https://proxy.example"));     // a tool whose hosts are denied is told nothing
    }

    void a_word_that_nobody_has_looked_up_is_refused() {
        for (const char* text : {"egress.allow = [\"@npm\"]", "egress.deny = [\"@npm\"]", "egress.private = [\"@npm\"]"})
            QVERIFY2(refusal(text).contains("'@npm': nobody has looked up what it stands for"), text);
        SessionRequest more = request_;
        more.extra_allow = {"@nmp"};
        const auto odd = make_session_spec(policy(""), more);
        QVERIFY(!odd && odd.error().next == "did you mean '@npm'?");
    }

    void the_words_to_look_up_are_the_users_and_what_the_workspace_denies() {
        const Policy mine = policy("[egress]\nallow = [\"@npm\", \"x.example\"]\nprivate = [\"@npm\"]\n");
        const Policy theirs = *parse_policy("version = 1\n[egress]\nallow = [\"@cargo\"]\ndeny = [\"@go\"]\n", "w", "w", PolicyOrigin::Workspace);
        QCOMPARE(registry_words_of(mine, {"@pip", "y.example"}, &theirs), (Strings{"@npm", "@pip", "@go"}));
    }

    void odd_requests_are_refused() {
        const auto refused = [&](auto change) {
            SessionRequest odd = request_;
            change(odd);
            return !make_session_spec(policy(""), odd);
        };
        QVERIFY(refused([](SessionRequest& r) { r.argv.clear(); }));
        QVERIFY(refused([](SessionRequest& r) { r.argv = {""}; }));
        QVERIFY(refused([](SessionRequest& r) { r.argv.push_back(std::string("a\0b", 3)); }));
        QVERIFY(refused([](SessionRequest& r) { r.account.home = "/"; }));
        QVERIFY(refused([](SessionRequest& r) { r.account.home = ""; }));
        QVERIFY(refused([](SessionRequest& r) { r.workspace = "w"; }));
        QVERIFY(refused([](SessionRequest& r) { r.working_directory = "/"; }));
        QVERIFY(refused([](SessionRequest& r) { r.working_directory = r.workspace + "x"; }));
        QVERIFY(refused([](SessionRequest& r) { r.working_directory = r.workspace + "/../.."; }));
        QVERIFY(refused([](SessionRequest& r) { r.workspace = r.working_directory = r.account.home; }));
        QVERIFY(!refused([](SessionRequest& r) { r.working_directory = r.workspace + "/sub"; }));
    }

    void a_home_that_is_not_there_is_private_all_the_same() {
        SessionRequest other = request_;
        other.account.home = "/nonexistent";
        const auto spec = make_session_spec(policy("filesystem.read = [\"~/.cargo\"]"), other);
        QVERIFY(spec && spec->home == "/nonexistent" && spec->mounts.empty());
    }

    void it_takes_a_small_part_of_a_launch() {
        const auto loaded = load_policy("default", "/nonexistent");
        QVERIFY(loaded);
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 200; ++i)
            QVERIFY(make_session_spec(*loaded, request_));
        const double spec_us = double(timer.nsecsElapsed()) / 200e3;
        timer.restart();
        for (int i = 0; i < 200; ++i)
            QVERIFY(load_policy("default", "/nonexistent"));
        const double load_us = double(timer.nsecsElapsed()) / 200e3;
        qInfo("make_session_spec %.0f us, load_policy %.0f us", spec_us, load_us);
        QVERIFY(spec_us < 2000 && load_us < 4000); // a slow or sanitized build included; really about a fiftieth
    }
};

QTEST_GUILESS_MAIN(TestPolicySessionSpecFromPolicy)
#include "test_policy_session_spec_from_policy.moc"
