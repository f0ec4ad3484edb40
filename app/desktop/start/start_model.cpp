#include "app/desktop/start/start_model.h"

namespace belljar {
namespace {

constexpr int kPauseMs = 150; // after the last key

} // namespace

StartModel::StartModel(StartDesk& desk, QObject* parent) : QObject(parent) {
    qRegisterMetaType<StartForm>();
    qRegisterMetaType<StartJudgement>();
    qRegisterMetaType<QList<PolicyChoice>>();
    pause_.setSingleShot(true);
    pause_.setInterval(kPauseMs);
    connect(&pause_, &QTimer::timeout, this, [this] { emit wants_judgement(form_, ++asked_); });
    connect(this, &StartModel::wants_offers, &desk, &StartDesk::look_for_offers);
    connect(this, &StartModel::wants_judgement, &desk, &StartDesk::judge);
    connect(this, &StartModel::wants_start, &desk, &StartDesk::start);
    connect(&desk, &StartDesk::judged, this, [this](const StartJudgement& judgement, int number) {
        if (number != asked_) return;
        judged_ = number;
        judgement_ = judgement;
        emit judgementChanged();
    });
    connect(&desk, &StartDesk::offers, this, [this](const QList<PolicyChoice>& policies, const QStringList& agents) {
        policies_.clear();
        for (const PolicyChoice& policy : policies)
            policies_.append(QVariantMap{{"name", policy.name}, {"summary", policy.summary}, {"origin", policy.origin}});
        agents_ = agents;
        emit offersChanged();
    });
    connect(&desk, &StartDesk::started, this, [this](const QString& id, const QString& name) {
        starting_ = false;
        refusal_.clear();
        emit startingChanged();
        emit started(id, name);
    });
    connect(&desk, &StartDesk::refused, this, [this](const QString& sentence) {
        starting_ = false;
        refusal_ = sentence;
        emit startingChanged();
    });
}

void StartModel::ask() {
    pause_.start();
    emit judgementChanged();
}

void StartModel::look_again() {
    emit wants_offers();
    ask();
}

void StartModel::start() {
    if (starting_) return;
    starting_ = true;
    refusal_.clear();
    emit startingChanged();
    emit wants_start(form_);
}

} // namespace belljar
