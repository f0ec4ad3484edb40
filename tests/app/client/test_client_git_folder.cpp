// A workspace whose git folder lies outside: the path that would show it is said, and only one that git itself made for it.
#include "app/client/git_folder.h"
#include "core/system/files.h"

#include <QtTest>
#include <filesystem>

using namespace belljar;

class TestGitFolder : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    std::string main_, tree_, git_;

    static void write(const std::string& path, const std::string& text) {
        QVERIFY(make_folders(path.substr(0, path.rfind('/'))).has_value());
        QVERIFY(write_file(path, text, 0644).has_value());
    }
    SessionSpec spec(std::vector<MountSpec> mounts = {}) const {
        SessionSpec made;
        made.workspace = tree_;
        made.system = {"/usr"};
        made.mounts = std::move(mounts);
        return made;
    }

private slots:
    void init() {
        base_ = QTemporaryDir();
        const std::string base = std::filesystem::canonical(base_.path().toStdString()).string();
        main_ = base + "/main";
        tree_ = base + "/tree";
        git_ = main_ + "/.git/worktrees/tree";
        write(main_ + "/.git/HEAD", "ref: refs/heads/main\n");
        QVERIFY(make_folders(main_ + "/.git/objects").has_value());
        write(git_ + "/gitdir", tree_ + "/.git\n");
        write(git_ + "/commondir", "../..\n");
        write(tree_ + "/.git", "gitdir: " + git_ + "\n");
    }

    void a_worktree_names_the_repository_s_folder() {
        const std::string note = note_of_hidden_git_folder(spec());
        QVERIFY2(note.find("`--read " + main_ + "/.git`") != std::string::npos, note.c_str());
        QCOMPARE(note.find('\n'), std::string::npos);
    }

    void a_submodule_names_its_own_folder() {
        const std::string module = main_ + "/.git/modules/tree";
        QVERIFY(make_folders(module + "/objects").has_value());
        write(module + "/config", "[core]\n\tbare = false\n\tworktree = ../../../../tree\n[remote \"origin\"]\n");
        write(tree_ + "/.git", "gitdir: ../main/.git/modules/tree\n");
        const std::string note = note_of_hidden_git_folder(spec());
        QVERIFY2(note.find("`--read " + module + "`") != std::string::npos, note.c_str());
    }

    void nothing_is_said_where_it_is_visible() {
        QCOMPARE(note_of_hidden_git_folder(spec({{main_ + "/.git", MountMode::Read}})), std::string());
        QCOMPARE(note_of_hidden_git_folder(spec({{main_, MountMode::Write}})), std::string());
        QVERIFY(!note_of_hidden_git_folder(spec({{main_ + "/.git", MountMode::Hide}})).empty());
        QVERIFY(!note_of_hidden_git_folder(spec({{git_, MountMode::Read}})).empty()); // without the objects
    }

    void nothing_is_said_of_a_repository_of_its_own_or_of_none() {
        QCOMPARE(::unlink((tree_ + "/.git").c_str()), 0);
        QCOMPARE(note_of_hidden_git_folder(spec()), std::string());
        QVERIFY(make_folders(tree_ + "/.git").has_value());
        QCOMPARE(note_of_hidden_git_folder(spec()), std::string());
    }

    void a_place_that_does_not_point_back_is_not_named_data() {
        QTest::addColumn<QString>("points_at");
        QTest::newRow("another worktree") << "/somewhere/.git";
        QTest::newRow("nothing") << "";
    }
    void a_place_that_does_not_point_back_is_not_named() {
        QFETCH(QString, points_at);
        QVERIFY(make_folders(git_ + "/objects").has_value()); // it looks like a repository
        write(git_ + "/gitdir", points_at.toStdString() + "\n");
        QCOMPARE(note_of_hidden_git_folder(spec()), std::string());
    }

    void a_crafted_one_inside_the_workspace_names_no_place_outside() {
        const std::string crafted = tree_ + "/crafted";
        write(crafted + "/gitdir", tree_ + "/.git\n");
        write(crafted + "/commondir", main_ + "/.git\n");
        write(tree_ + "/.git", "gitdir: crafted\n");
        QCOMPARE(note_of_hidden_git_folder(spec()), std::string());
    }

    void one_that_holds_the_workspace_is_said_to_be_impossible() {
        const std::string bare = main_ + "/bare";
        QVERIFY(make_folders(bare + "/objects").has_value());
        const std::string tree = bare + "/tree";
        write(bare + "/worktrees/tree/gitdir", tree + "/.git\n");
        write(bare + "/worktrees/tree/commondir", "../..\n");
        write(tree + "/.git", "gitdir: " + bare + "/worktrees/tree\n");
        SessionSpec own = spec();
        own.workspace = tree;
        const std::string note = note_of_hidden_git_folder(own);
        QVERIFY2(note.find("it holds the workspace") != std::string::npos, note.c_str());
        QVERIFY2(note.find("--read") == std::string::npos, note.c_str());
    }
};

QTEST_GUILESS_MAIN(TestGitFolder)
#include "test_client_git_folder.moc"
