#include "app/desktop/application/graphics.h"

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QQuickWindow>

namespace belljar {
namespace {

bool opengl_works() {
    QOpenGLContext context;
    if (!context.create()) return false;
    QOffscreenSurface surface;
    surface.setFormat(context.format());
    surface.create();
    return surface.isValid() && context.makeCurrent(&surface);
}

} // namespace

void choose_renderer() {
    if (qEnvironmentVariableIsSet("QT_QUICK_BACKEND") || qEnvironmentVariableIsSet("QSG_RHI_BACKEND")) return;
    if (QGuiApplication::platformName() == QLatin1String("offscreen") || !opengl_works())
        QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
}

} // namespace belljar
