#include "app/desktop/sessions/session_watch.h"

#include "app/client/ended_session.h"
#include "app/client/session_client.h"
#include "core/session/identity.h"

#include <chrono>

namespace belljar {
namespace {

constexpr int kPaceMs = 500;
constexpr std::chrono::milliseconds kPatience{200}; // for a session's answer: the others wait meanwhile

QString text_of(const Error& error) { return QString::fromStdString(error.message()); }

} // namespace

SessionWatch::SessionWatch(Place place) : place_(std::move(place)) {}
SessionWatch::~SessionWatch() = default;

void SessionWatch::begin() {
    timer_ = new QTimer(this);
    connect(timer_, &QTimer::timeout, this, &SessionWatch::look);
    timer_->start(kPaceMs);
    look();
}

void SessionWatch::set_pace(int milliseconds) {
    if (timer_ != nullptr && timer_->interval() != milliseconds) timer_->start(milliseconds);
}

Result<SessionIndex*> SessionWatch::index() {
    if (!index_) {
        auto opened = SessionIndex::open(place_.paths);
        if (!opened) return tl::unexpected(opened.error());
        index_.emplace(std::move(*opened));
    }
    return &*index_;
}

void SessionWatch::look() {
    const auto opened = index();
    if (!opened) return emit seen({}, text_of(opened.error()));
    auto rows = (*opened)->list();
    if (!rows) {
        index_.reset(); // opened anew the next time: it may have been set aside
        return emit seen({}, text_of(rows.error()));
    }
    ask_for_live_totals(*rows);
    emit seen(*rows, QString::fromStdString((*opened)->notice()));
}

// A connection for each that runs, kept from look to look. One that does not answer in time is asked anew the next time.
void SessionWatch::ask_for_live_totals(SessionRows& rows) {
    std::map<std::string, varlink::Client> still;
    for (SessionRow& row : rows) {
        if (row.state != SessionState::Running) continue;
        auto known = live_.extract(row.id);
        if (known.empty()) {
            auto session = connect_to_session(place_, row);
            if (!session || !session->set_timeout(kPatience)) continue;
            known = [&] {
                std::map<std::string, varlink::Client> one;
                one.emplace(row.id, std::move(*session));
                return one.extract(row.id);
            }();
        }
        const auto described = known.mapped().call("org.belljar.Session.Describe");
        if (!described) continue;
        row.totals = totals_from(described->value("totals", nlohmann::json::object()));
        still.insert(std::move(known));
    }
    live_ = std::move(still);
}

void SessionWatch::act(const QString& id, const QString& what, const std::function<Status(const SessionRow&)>& action) {
    const auto opened = index();
    const auto row = opened ? (*opened)->find(id.toStdString()) : Result<SessionRow>(tl::unexpected(opened.error()));
    const Status status = row ? action(*row) : Status(tl::unexpected(row.error()));
    emit done(id, what, status ? QString() : text_of(status.error()));
    look();
}

void SessionWatch::stop(const QString& id, bool force) {
    act(id, QStringLiteral("stop"), [&](const SessionRow& row) -> Status {
        const auto stopped = stop_session(place_, row, force);
        return stopped ? Status() : Status(tl::unexpected(stopped.error()));
    });
}

void SessionWatch::rename(const QString& id, const QString& name) {
    act(id, QStringLiteral("rename"), [&](const SessionRow& row) -> Status {
        if (Status good = check_session_name(name.toStdString()); !good) return good;
        return index_->rename(row.id, name.toStdString());
    });
}

void SessionWatch::remove(const QString& id) {
    act(id, QStringLiteral("remove"), [&](const SessionRow& row) -> Status {
        if (row.state == SessionState::Running) return failure("remove " + row.name, "it is running", "stop it first");
        const auto lock = hold_ended_session(place_, row);
        if (!lock) return tl::unexpected(lock.error());
        return remove_ended_session(place_, row);
    });
}

} // namespace belljar
