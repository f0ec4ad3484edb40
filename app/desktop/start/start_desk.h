// Checks and starts sessions in a thread of its own, as `belljar run --detach` does (app/client/start.h).
#pragma once

#include "app/client/start.h"

#include <QObject>
#include <QStringList>
#include <vector>

namespace belljar {

// What a form asks for, as typed.
struct StartForm {
    QString command, workspace, policy = QStringLiteral("default"), name;
    QStringList hosts;
    bool operator==(const StartForm&) const = default;
};

// What would come of it.
struct StartJudgement {
    QString error;        // one sentence; empty: it can be started
    QString field;        // which part of the form it is about: "command", "workspace", "policy", "hosts", "name", or empty
    QStringList notes;    // what else is to be said
    QStringList reaches;  // hosts and words that are allowed, as the policy writes them
    QStringList writes;   // paths beside the workspace
    QStringList reads;    // paths beside the system's
    QString home;         // "" one of the session's own; else the name of the kept one
    bool workspace_writable = true;
    QString command_line; // the same for a shell
};

struct PolicyChoice {
    QString name, summary, origin;
};

class StartDesk : public QObject {
    Q_OBJECT
public:
    explicit StartDesk(Place place) : place_(std::move(place)) {}

    // Splits the command and puts the form into a request; `judgement` gets the error where that fails.
    static std::optional<StartRequest> request_of(const StartForm& form, StartJudgement& judgement);
    // `belljar run` with the same; for `restart`, without the program's name.
    static std::vector<std::string> words_of(const StartRequest& request);

public slots:
    // Answered by offers(): policies, and of the agents that are known those that PATH has.
    void look_for_offers();
    // Answered by judged(), with the number given: only the newest counts.
    void judge(const belljar::StartForm& form, int number);
    // Answered by started() or refused().
    void start(const belljar::StartForm& form);

signals:
    void offers(const QList<belljar::PolicyChoice>& policies, const QStringList& agents);
    void judged(const belljar::StartJudgement& judgement, int number);
    void started(const QString& id, const QString& name);
    void refused(const QString& sentence);

private:
    Place place_;
};

} // namespace belljar

Q_DECLARE_METATYPE(belljar::StartForm)
Q_DECLARE_METATYPE(belljar::StartJudgement)
Q_DECLARE_METATYPE(belljar::PolicyChoice)
