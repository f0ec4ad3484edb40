#include "app/desktop/application/shots.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QImage>
#include <QTimer>

namespace belljar {
namespace {

constexpr int kSettleMs = 700; // the first list comes within one look of the watch

void wait(int milliseconds) {
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

} // namespace

Status show_every_page(QQuickWindow& window, const QString& folder) {
    const QStringList pages = window.property("pages").toStringList();
    if (pages.isEmpty()) return failure("show the pages", "the window names none");
    if (!folder.isEmpty() && !QDir().mkpath(folder)) return failure("make the folder " + folder.toStdString(), "it cannot be made");
    wait(kSettleMs);
    for (const QString& page : pages) {
        window.setProperty("page", page);
        wait(kSettleMs);
        if (window.property("page").toString() != page) return failure("show the page " + page.toStdString(), "the window did not follow");
        const QImage picture = window.grabWindow();
        if (picture.isNull()) return failure("draw the page " + page.toStdString(), "there is no picture");
        if (folder.isEmpty()) continue;
        const QString path = folder + '/' + page + ".png";
        if (!picture.save(path)) return failure("write " + path.toStdString(), "it cannot be written");
    }
    return {};
}

} // namespace belljar
