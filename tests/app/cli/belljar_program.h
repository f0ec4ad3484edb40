// Drives the built `belljar` as a user does, in folders of its own.
#pragma once

#include "core/record/writer.h"
#include "core/system/programs.h"

#include <QtTest>
#include <sys/file.h>
#include <sys/stat.h>

namespace belljar::test {

struct Ended {
    int status = -1;
    QByteArray out, err;
    QJsonDocument json() const { return QJsonDocument::fromJson(out); }
};

class BelljarProgram {
public:
    BelljarProgram() {
        for (const char* folder : {"state", "state/sessions", "run", "config", "config/policies"})
            make(folder);
    }

    Ended run(const QStringList& words, const QByteArray& input = {},
              const QMap<QString, QString>& variables = {}) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("BELLJAR_STATE_DIR", base_.filePath("state"));
        environment.insert("BELLJAR_RUNTIME_DIR", base_.filePath("run"));
        environment.insert("BELLJAR_CONFIG_DIR", base_.filePath("config"));
        environment.insert("TERM", "xterm");
        for (auto it = variables.begin(); it != variables.end(); ++it)
            environment.insert(it.key(), it.value());
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(base_.path());
        process.start(QString::fromStdString(installation_prefix() + "/bin/belljar"), words);
        if (!process.waitForStarted()) return {-1, {}, "belljar could not be started"};
        process.write(input);
        process.closeWriteChannel();
        process.waitForFinished(60000);
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
                process.readAllStandardError()};
    }

    QString path(const QString& name) const { return base_.filePath(name); }
    QString session_folder(const QString& id) const { return path("state/sessions/" + id); }

    // A session as its supervisor leaves it behind, with `calls` denied calls in its record.
    void add_session(const QString& id, const QString& name, bool sealed, int calls = 2,
                     const QString& argument = "hello") const {
        make("state/sessions/" + id);
        make("state/sessions/" + id + "/home");
        make("run/" + id);
        write("state/sessions/" + id + "/lock", "");
        NewEvent started{
            "session-started",
            {{"id", id.toStdString()},
             {"name", name.toStdString()},
             {"argv", {"echo", argument.toStdString()}},
             {"workspace", "/w"},
             {"policy", {{"name", "default"}, {"sha256", "00"}}},
             {"layers", Json::array({{{"name", "filter"}, {"state", "enforced"}, {"detail", "2"}, {"source", "x"}}})},
             {"helper", "rootless"}},
            1'900'000'000'000'000};
        auto writer = RecordWriter::create(session_folder(id).toStdString(), id.toStdString(), started);
        if (!writer) qFatal("%s", writer.error().message().c_str());
        for (int i = 0; i < calls; ++i) {
            const auto appended = (*writer)->append(NewEvent{"syscall-denied",
                                                             {{"syscall", "mount"},
                                                              {"nr", 165},
                                                              {"args", {1, 2}},
                                                              {"errno", 1},
                                                              {"pid", 7},
                                                              {"exe", "/bin/x"},
                                                              {"count", 1}},
                                                             1'900'000'001'000'000 + i});
            if (!appended) qFatal("%s", appended.error().message().c_str());
        }
        if (sealed) {
            const auto seal = (*writer)->seal(NewEvent{
                "session-ended",
                {{"status", 3},
                 {"reason", "exited"},
                 {"totals",
                  {{"allowed", 0}, {"denied", 0}, {"calls_denied", calls}, {"bytes_sent", 0}, {"bytes_received", 0}}}},
                1'900'000'002'000'000});
            if (!seal) qFatal("%s", seal.error().message().c_str());
        }
        (*writer)->finish();
    }
    void write(const QString& name, const QByteArray& bytes) const {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(name));
        file.write(bytes);
    }
    void make(const QString& name) const { ::mkdir(path(name).toUtf8().constData(), 0700); }

private:
    QTemporaryDir base_;
};

} // namespace belljar::test
