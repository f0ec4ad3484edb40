#include "app/desktop/application/app.h"

#include <QQmlEngine>
#include <sys/utsname.h>

namespace belljar {
namespace {

App* the_app = nullptr; // QML makes its singletons by a static function (qqmlregistration.h)

constexpr int kSeenMs = 500, kHiddenMs = 2000;

template <class Desk>
Desk* live_in(QThread& thread, Desk* desk) {
    desk->moveToThread(&thread);
    QObject::connect(&thread, &QThread::finished, desk, &QObject::deleteLater);
    return desk;
}

} // namespace

App::App(const Place& place, QObject* parent) : QObject(parent), place_(place) {
    the_app = this;
    qRegisterMetaType<SessionRows>();
    auto* watch = live_in(watching_, new SessionWatch(place));
    connect(&watching_, &QThread::started, watch, &SessionWatch::begin);
    connect(watch, &SessionWatch::seen, &sessions_, &SessionsModel::take);
    connect(watch, &SessionWatch::done, this, &App::done);
    connect(this, &App::wants_stop, watch, &SessionWatch::stop);
    connect(this, &App::wants_rename, watch, &SessionWatch::rename);
    connect(this, &App::wants_remove, watch, &SessionWatch::remove);
    connect(this, &App::wants_pace, watch, &SessionWatch::set_pace);
    start_ = new StartModel(*live_in(starting_, new StartDesk(place)), this);
    connect(start_, &StartModel::started, watch, &SessionWatch::look);
    checks_ = new ChecksModel(*live_in(checking_, new CheckDesk(place)), this);
    for (QThread* thread : {&watching_, &starting_, &checking_})
        thread->start();
}

App::~App() {
    for (QThread* thread : {&watching_, &starting_, &checking_}) {
        thread->quit();
        thread->wait();
    }
    the_app = nullptr;
}

App* App::create(QQmlEngine*, QJSEngine*) {
    QJSEngine::setObjectOwnership(the_app, QJSEngine::CppOwnership);
    return the_app;
}

QString App::version() const { return QStringLiteral(BELLJAR_VERSION); }

QString App::kernel() const {
    utsname names{};
    return ::uname(&names) == 0 ? QString::fromLocal8Bit(names.sysname) + ' ' + QString::fromLocal8Bit(names.release) : QString();
}

QString App::state_folder() const { return QString::fromStdString(place_.paths.state); }

void App::set_seen(bool seen) {
    if (seen_ == seen) return;
    seen_ = seen;
    emit wants_pace(seen ? kSeenMs : kHiddenMs);
    emit seenChanged();
}

void App::open_folder(const QString& folder) {
    if (!folder.isEmpty()) start_->set_workspace(folder);
    emit folderOpened(folder);
}

} // namespace belljar
