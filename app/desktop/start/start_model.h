// The form of a new session: what is typed, what would come of it (judged in the desk's thread, a moment after the last key), and
// the start.
#pragma once

#include "app/desktop/start/start_desk.h"

#include <QTimer>
#include <QVariantList>
#include <QtQml/qqmlregistration.h>

namespace belljar {

class StartModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("the application's own")
    Q_PROPERTY(QString command READ command WRITE set_command NOTIFY formChanged)
    Q_PROPERTY(QString workspace READ workspace WRITE set_workspace NOTIFY formChanged)
    Q_PROPERTY(QString policy READ policy WRITE set_policy NOTIFY formChanged)
    Q_PROPERTY(QString name READ name WRITE set_name NOTIFY formChanged)
    Q_PROPERTY(QStringList hosts READ hosts WRITE set_hosts NOTIFY formChanged)
    Q_PROPERTY(QString error READ error NOTIFY judgementChanged)
    Q_PROPERTY(QString field READ field NOTIFY judgementChanged)
    Q_PROPERTY(bool judging READ judging NOTIFY judgementChanged) // what stands there is of an earlier form
    Q_PROPERTY(QStringList notes READ notes NOTIFY judgementChanged)
    Q_PROPERTY(QStringList reaches READ reaches NOTIFY judgementChanged)
    Q_PROPERTY(QStringList writes READ writes NOTIFY judgementChanged)
    Q_PROPERTY(QStringList reads READ reads NOTIFY judgementChanged)
    Q_PROPERTY(QString home READ home NOTIFY judgementChanged)
    Q_PROPERTY(bool workspaceWritable READ workspace_writable NOTIFY judgementChanged)
    Q_PROPERTY(QString commandLine READ command_line NOTIFY judgementChanged)
    Q_PROPERTY(QVariantList policies READ policies NOTIFY offersChanged) // {name, summary, origin}
    Q_PROPERTY(QStringList agents READ agents NOTIFY offersChanged)
    Q_PROPERTY(bool starting READ starting NOTIFY startingChanged)
    Q_PROPERTY(QString refusal READ refusal NOTIFY startingChanged) // why the last start failed
public:
    // `desk` lives in another thread and outlives this.
    explicit StartModel(StartDesk& desk, QObject* parent = nullptr);

    QString command() const { return form_.command; }
    QString workspace() const { return form_.workspace; }
    QString policy() const { return form_.policy; }
    QString name() const { return form_.name; }
    QStringList hosts() const { return form_.hosts; }
    void set_command(const QString& command) { set(form_.command, command); }
    void set_workspace(const QString& workspace) { set(form_.workspace, workspace); }
    void set_policy(const QString& policy) { set(form_.policy, policy); }
    void set_name(const QString& name) { set(form_.name, name); }
    void set_hosts(const QStringList& hosts) { set(form_.hosts, hosts); }

    QString error() const { return judgement_.error; }
    QString field() const { return judgement_.field; }
    bool judging() const { return judged_ != asked_ || pause_.isActive(); }
    QStringList notes() const { return judgement_.notes; }
    QStringList reaches() const { return judgement_.reaches; }
    QStringList writes() const { return judgement_.writes; }
    QStringList reads() const { return judgement_.reads; }
    QString home() const { return judgement_.home; }
    bool workspace_writable() const { return judgement_.workspace_writable; }
    QString command_line() const { return judgement_.command_line; }
    QVariantList policies() const { return policies_; }
    QStringList agents() const { return agents_; }
    bool starting() const { return starting_; }
    QString refusal() const { return refusal_; }

    Q_INVOKABLE void look_again(); // at policies and programs, as when the form is opened
    Q_INVOKABLE void start();

signals:
    void formChanged();
    void judgementChanged();
    void offersChanged();
    void startingChanged();
    void started(const QString& id, const QString& name);
    // To the desk.
    void wants_offers();
    void wants_judgement(const belljar::StartForm& form, int number);
    void wants_start(const belljar::StartForm& form);

private:
    template <class T>
    void set(T& member, const T& value) {
        if (member == value) return;
        member = value;
        emit formChanged();
        ask();
    }
    void ask();

    StartForm form_;
    StartJudgement judgement_;
    QVariantList policies_;
    QStringList agents_;
    QTimer pause_;
    QString refusal_;
    int asked_ = 0, judged_ = 0;
    bool starting_ = false;
};

} // namespace belljar
