// What the registry words stand for: the tools' configuration first, then the tool itself, never what a session could write.
#include "core/registries/meaning.h"
#include "core/system/files.h"

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

using namespace belljar;
using Strings = std::vector<std::string>;

class TestFoundRegistries : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::string root_, home_;
    RegistrySources sources_;
    int count_ = 0;

    void file(const std::string& below_home, const std::string& text) {
        const std::string path = home_ + "/" + below_home;
        QVERIFY(make_folders(path.substr(0, path.rfind('/'))));
        QVERIFY(write_file(path, text));
    }
    // A program in the PATH, which says `text`, or what `script` does.
    void tool(const std::string& folder, const std::string& name, const std::string& script) {
        QVERIFY(make_folders(folder));
        QVERIFY(write_file(folder + "/" + name, "#!/bin/sh\n" + script + "\n", 0755));
    }
    std::string tools() const { return root_ + "/bin"; }
    void set(const std::string& entry) { sources_.environment.push_back(entry); }
    Result<RegistryMeaning> find(const std::string& word) const { return find_registry(word, sources_); }
    Strings hosts(const std::string& word) const {
        const auto meaning = find(word);
        return meaning ? meaning->hosts : Strings{"error: " + meaning.error().message()};
    }
    Strings told(const std::string& word) const {
        const auto meaning = find(word);
        return meaning ? meaning->environment : Strings{"error: " + meaning.error().message()};
    }

private slots:
    void init() {
        root_ = QDir(folder_.path()).canonicalPath().toStdString() + "/" + std::to_string(++count_);
        home_ = root_ + "/home";
        QVERIFY(make_folders(home_));
        QVERIFY(make_folders(tools()));
        sources_ = {};
        sources_.home = home_;
        sources_.etc = root_ + "/etc";
        set("PATH=" + tools());
    }

    void where_nothing_can_be_learnt_a_line_says_what_to_write_where() {
        for (const auto& [word, next] : {std::pair{"@npm", "~/.npmrc"}, {"@pip", "pip.conf"}, {"@cargo", "config.toml"},
                                         {"@go", "GOPROXY"}, {"@maven", "~/.m2/settings.xml"}}) {
            const auto meaning = find(word);
            QVERIFY2(!meaning, word);
            const std::string said = meaning.error().message();
            QVERIFY2(said.find(word) != std::string::npos && said.find(next) != std::string::npos &&
                         said.find("egress.allow") != std::string::npos, said.c_str());
        }
        const auto unknown = find("@nmp");
        QVERIFY(!unknown && unknown.error().next == "did you mean '@npm'?");
    }

    void npm_is_what_the_users_npmrc_says() {
        file(".npmrc", "registry=https://u:pw@registry.example/npm/\n@mine:registry = http://scoped.example:4873\n"
                       "//registry.example/:_authToken=s3cret\n");
        QCOMPARE(hosts("@npm"), (Strings{"scoped.example:4873", "registry.example"}));
        QCOMPARE(told("@npm"), (Strings{"npm_config_@mine:registry=http://scoped.example:4873",
                                        "npm_config_registry=https://registry.example/npm/"}));
        QCOMPARE(find("@npm")->sources, Strings{"~/.npmrc"});
    }

    void npm_takes_the_environment_first_then_the_user_then_the_machine() {
        QVERIFY(make_folders(sources_.etc));
        QVERIFY(write_file(sources_.etc + "/npmrc", "registry=https://global.example\n@g:registry=https://scoped-global.example\n"));
        QCOMPARE(hosts("@npm"), (Strings{"scoped-global.example", "global.example"}));
        file(".npmrc", "registry=https://${WHICH}.example\n");
        set("WHICH=user");
        QCOMPARE(hosts("@npm"), (Strings{"scoped-global.example", "user.example"}));
        set("NPM_CONFIG_REGISTRY=https://environment.example");
        QCOMPARE(hosts("@npm"), (Strings{"scoped-global.example", "environment.example"}));
    }

    void npm_itself_is_asked_where_the_files_say_nothing() {
        tool(tools(), "npm", "[ \"$*\" = 'config get registry' ] && [ $(pwd) = / ] && [ -z \"$SECRET\" ] && echo https://default.example/");
        set("SECRET=1");
        QCOMPARE(hosts("@npm"), Strings{"default.example"});
        file(".npmrc", "registry=https://registry.example/\n");
        tool(tools(), "npm", "echo https://never.example/");
        QCOMPARE(hosts("@npm"), Strings{"registry.example"});
    }

    void a_tool_that_fails_or_says_too_much_or_takes_too_long_says_nothing() {
        tool(tools(), "npm", "echo https://default.example/; exit 1");
        QVERIFY(!find("@npm"));
        tool(tools(), "npm", "while echo https://default.example/; do :; done");
        QVERIFY(!find("@npm"));
        tool(tools(), "npm", "echo undefined");
        QVERIFY(!find("@npm"));
    }

    void a_tool_that_hangs_is_given_up() {
        QElapsedTimer timer;
        timer.start();
        tool(tools(), "npm", "/bin/sleep 60 & echo $! > " + root_ + "/pid; wait");
        QVERIFY(!find("@npm"));
        QVERIFY(timer.elapsed() < 30000);
        const auto pid = read_file(root_ + "/pid");
        QVERIFY(pid);
        QTRY_VERIFY(!QFileInfo::exists(QString("/proc/%1/exe").arg(std::atoi(pid->c_str())))); // its child neither
    }

    void a_tool_that_closes_its_output_and_lives_on_is_given_up_and_so_are_all_of_a_word_together() {
        QElapsedTimer timer;
        timer.start();
        for (const char* name : {"pip3", "pip", "python3"})
            tool(tools(), name, "exec >&-; exec /bin/sleep 40");
        QVERIFY(!find("@pip"));
        QVERIFY2(timer.elapsed() < 15000, qPrintable(QString::number(timer.elapsed())));
    }

    void a_signal_that_is_to_end_the_command_ends_the_asking() {
        sigset_t interrupt;
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        ::pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
        ::raise(SIGINT);
        QElapsedTimer timer;
        timer.start();
        tool(tools(), "npm", "exec /bin/sleep 40");
        QVERIFY(!find("@npm"));
        int number = 0;
        ::sigwait(&interrupt, &number);
        ::pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
    }

    void no_program_of_a_workspace_is_ever_run() {
        const std::string workspace = root_ + "/work", venv = workspace + "/.venv/bin";
        sources_.foreign = {workspace};
        const std::string trap = "echo ran >> " + root_ + "/ran; echo https://evil.example/";
        tool(venv, "npm", trap);
        tool(workspace + "/real", "go", trap);
        sources_.environment[0] = "PATH=" + venv + ":.:" + tools();
        QVERIFY(!find("@npm"));
        QCOMPARE(::symlink((venv + "/npm").c_str(), (tools() + "/npm").c_str()), 0); // a link into it is no better
        QVERIFY(!find("@npm"));
        QCOMPARE(::symlink((workspace + "/real").c_str(), (root_ + "/linked").c_str()), 0);
        sources_.environment[0] = "PATH=" + root_ + "/linked:" + tools();
        QVERIFY(!find("@go"));
        QVERIFY(!QFileInfo::exists(QString::fromStdString(root_ + "/ran")));
        // nor found by a program that is run
        ::unlink((tools() + "/npm").c_str());
        sources_.environment[0] = "PATH=" + venv + ":" + tools();
        tool(tools(), "npm", "case \"$PATH\" in *venv*) echo https://venv.example/;; *) echo https://clean.example/;; esac");
        QCOMPARE(hosts("@npm"), Strings{"clean.example"});
    }

    void no_script_of_a_workspaces_interpreter_is_ever_run() {
        const std::string workspace = root_ + "/work", trap = "echo ran >> " + root_ + "/ran; echo https://evil.example/";
        sources_.foreign = {workspace};
        tool(workspace, "node", trap);
        QCOMPARE(::symlink((workspace + "/node").c_str(), (tools() + "/node").c_str()), 0);
        QCOMPARE(::symlink("/bin/sh", (workspace + "/sh").c_str()), 0);
        for (const std::string& line : {workspace + "/node", workspace + "/sh", tools() + "/node", std::string("/usr/bin/env node"),
                                        std::string("/usr/bin/env -S node --x"), "/usr/bin/env " + workspace + "/node", std::string("bin/sh")}) {
            QVERIFY(write_file(tools() + "/npm", "#!" + line + "\n" + trap + "\n", 0755));
            QVERIFY2(!find("@npm"), line.c_str());
        }
        QVERIFY(!QFileInfo::exists(QString::fromStdString(root_ + "/ran")));
        ::unlink((tools() + "/node").c_str());
        QCOMPARE(::symlink("/bin/sh", (tools() + "/node").c_str()), 0);
        QVERIFY(write_file(tools() + "/npm", "#!/usr/bin/env node\necho https://clean.example/\n", 0755));
        QCOMPARE(hosts("@npm"), Strings{"clean.example"});
    }

    void a_tool_that_is_asked_finds_nothing_in_the_home() {
        file("says", "https://evil.example/");
        tool(tools(), "npm", "/bin/cat \"$HOME/says\" 2>/dev/null || echo https://default.example/");
        QCOMPARE(hosts("@npm"), Strings{"default.example"});
        tool(tools(), "pip3", "echo \"--index-url https://user$PYTHONNOUSERSITE.example/\"");
        QCOMPARE(hosts("@pip"), Strings{"user1.example"});
    }

    void a_file_that_a_session_may_write_is_nobodys_word() {
        const std::string workspace = root_ + "/work";
        QVERIFY(make_folders(workspace));
        sources_.foreign = {workspace};
        QVERIFY(write_file(workspace + "/npmrc", "registry=https://evil.example\n"));
        QCOMPARE(::symlink((workspace + "/npmrc").c_str(), (home_ + "/.npmrc").c_str()), 0);
        const auto npm = find("@npm");
        QVERIFY(!npm && npm.error().message().find("a session may write") != std::string::npos);
        sources_.foreign = {home_ + "/.config"};
        file(".config/pip/pip.conf", "[global]\nindex-url=https://evil.example\n");
        QVERIFY(!find("@pip"));
        file(".cargo/registry/index/index.example-0123/config.json", "{\"dl\":\"https://evil.example\"}");
        sources_.foreign = {home_ + "/.cargo"};
        QVERIFY(!find("@cargo"));
    }

    void pip_is_what_pip_conf_and_its_variables_say() {
        file(".pip/pip.conf", "[global]\nindex-url=https://old.example/simple\n");
        QCOMPARE(hosts("@pip"), Strings{"old.example"});
        file(".config/pip/pip.conf", "[global]\nindex-url = https://u:pw@index.example/simple\nextra-index-url =\n  https://one.example\n"
                                     "  http://two.example:8080/\ntrusted-host = two.example\n[install]\nindex-url=https://install.example/simple\n"
                                     "[freeze]\nindex-url=https://never.example/\n");
        QCOMPARE(hosts("@pip"), (Strings{"index.example", "install.example", "one.example", "two.example:8080"}));
        QCOMPARE(told("@pip"), (Strings{"PIP_INDEX_URL=https://index.example/simple",
                                        "PIP_EXTRA_INDEX_URL=https://one.example http://two.example:8080/", "PIP_TRUSTED_HOST=two.example"}));
        set("PIP_INDEX_URL=https://environment.example/simple");
        set("PIP_EXTRA_INDEX_URL=");
        QCOMPARE(hosts("@pip"), (Strings{"environment.example", "one.example", "two.example:8080"}));
    }

    void pip_itself_is_asked_for_its_default() {
        tool(tools(), "pip3", "printf '  -i, --index-url <url>       Base URL of the index (default\\n   https://default.example/simple). "
                              "This should\\n  --extra-index-url <url>  x http://other.example\\n'");
        QCOMPARE(hosts("@pip"), Strings{"default.example"});
    }

    void cargo_is_its_registries_sources_and_what_their_indexes_say() {
        file(".cargo/config.toml", "[registries.my-reg]\nindex = \"sparse+https://tok:en@index.example/i/\"\n"
                                   "[source.crates-io]\nreplace-with = \"mirror\"\n[source.mirror]\nregistry = \"sparse+http://mirror.example:8000/\"\n"
                                   "[source.unused]\nregistry = \"https://unused.example\"\n[registry]\ndefault = \"my-reg\"\n");
        file(".cargo/registry/index/index.example-0123456789abcdef/config.json", "{\"dl\":\"https://dl.example/{crate}/{version}\",\"api\":\"https://api.example\"}");
        file(".cargo/registry/index/left-over.example-0123456789abcdef/config.json", "{\"dl\":\"https://never.example/\"}");
        QVERIFY(make_folders(home_ + "/.cargo/registry/index/git.example-0123456789abcdef/.git"));
        QCOMPARE(hosts("@cargo"), (Strings{"mirror.example:8000", "index.example", "dl.example"}));
        QCOMPARE(told("@cargo"), (Strings{"CARGO_REGISTRIES_MY_REG_INDEX=sparse+https://index.example/i/", "CARGO_REGISTRY_DEFAULT=my-reg"}));
    }

    void cargos_default_registry_is_known_by_the_index_it_has_fetched() {
        file(".cargo/registry/index/index.example-0123456789abcdef/config.json", "{\"dl\":\"https://static.example/crates\"}");
        QCOMPARE(hosts("@cargo"), (Strings{"index.example", "static.example"}));
        set("CARGO_HOME=" + root_ + "/elsewhere");
        QVERIFY(!find("@cargo"));
        set("CARGO_REGISTRIES_OTHER_INDEX=sparse+https://other.example/");
        QCOMPARE(hosts("@cargo"), Strings{"other.example"});
    }

    void a_broken_cargo_configuration_is_an_error_with_its_file() {
        file(".cargo/config.toml", "[registries\n");
        const auto cargo = find("@cargo");
        QVERIFY(!cargo && cargo.error().message().find("~/.cargo/config.toml") != std::string::npos);
    }

    void go_is_its_variables_its_env_file_and_then_its_own_answer() {
        tool(tools(), "go", "[ \"$*\" = 'env GOPROXY GOSUMDB' ] && printf 'https://default.example,direct\\nsums.example\\n'");
        QCOMPARE(hosts("@go"), (Strings{"default.example", "sums.example"}));
        QCOMPARE(told("@go"), (Strings{"GOPROXY=https://default.example,direct", "GOSUMDB=sums.example"}));
        file(".config/go/env", "GOPROXY=https://u:pw@one.example/x|http://two.example:3000,off\nGOSUMDB=sums.example+abc https://u:pw@mirror.example/s\n"
                               "GOPRIVATE=*.corp.example\n");
        QCOMPARE(hosts("@go"), (Strings{"one.example", "two.example:3000", "mirror.example"}));
        QCOMPARE(told("@go"), (Strings{"GOPROXY=https://one.example/x|http://two.example:3000,off",
                                       "GOSUMDB=sums.example+abc https://mirror.example/s", "GOPRIVATE=*.corp.example"}));
        set("GOPROXY=https://environment.example");
        set("GOSUMDB=off");
        QCOMPARE(hosts("@go"), Strings{"environment.example"});
    }

    void maven_is_the_mirrors_and_repositories_of_its_settings() {
        const std::string mirror = "<mirror><id>m</id><mirrorOf>central</mirrorOf><url>https://mirror.example/maven2</url></mirror>";
        const std::string blocker = "<mirror><mirrorOf>*</mirrorOf><url>http://0.0.0.0/</url><blocked>true</blocked></mirror>";
        const std::string profile = "<profiles><profile><repositories><repository><url>https://repository.example/x</url></repository></repositories>"
                                    "<pluginRepositories><pluginRepository><url>file:///srv/x</url></pluginRepository></pluginRepositories></profile></profiles>";
        file(".m2/settings.xml", "<settings><mirrors>" + blocker + mirror + "</mirrors>" + profile +
                                     "<servers><server><password>s3cret</password></server></servers></settings>");
        QCOMPARE(hosts("@maven"), (Strings{"mirror.example", "repository.example"}));
        QVERIFY(told("@maven").empty());
        file(".m2/settings.xml", "<settings><mirrors><mirror><mirrorOf>*</mirrorOf><url>http://all.example:8081/</url></mirror></mirrors>" + profile + "</settings>");
        QCOMPARE(hosts("@maven"), Strings{"all.example:8081"});
        file(".m2/settings.xml", "<settings>\n<mirrors>");
        const auto broken = find("@maven");
        QVERIFY(!broken && broken.error().message().find("~/.m2/settings.xml: line 2") != std::string::npos);
    }

    void an_odd_host_is_an_error_that_names_the_file() {
        file(".npmrc", "registry=https://u:s3cret@*.example/\n");
        const auto npm = find("@npm");
        QVERIFY(!npm && npm.error().message().find("~/.npmrc") != std::string::npos && npm.error().message().find("s3cret") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestFoundRegistries)
#include "test_found_registries.moc"
