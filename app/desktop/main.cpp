// belljar-desktop: the window. A client of the sessions like the command line; it holds no privilege and no session.
#include "app/client/place.h"
#include "app/desktop/application/app.h"
#include "app/desktop/application/graphics.h"
#include "app/desktop/application/shots.h"
#include "app/desktop/application/single_instance.h"
#include "qml/module.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QQmlApplicationEngine>
#include <QQuickWindow>
#include <cstdio>

using namespace belljar;

// The rooms of the window; naming them keeps the linker from leaving their types out.
extern void qml_register_types_Belljar_App();
extern void qml_register_types_Belljar_Sessions();
extern void qml_register_types_Belljar_Start();
extern void qml_register_types_Belljar_System();

namespace {

constexpr int kFailed = 1;

struct DesktopOptions {
    QString folder, shots, theme;
    QSize size;
    bool self_test = false;
};

int complain(const Error& error) {
    std::fprintf(stderr, "belljar-desktop: %s\n", error.message().c_str());
    return kFailed;
}

Result<DesktopOptions> read_options(const QCoreApplication& application) {
    QCommandLineParser parser;
    parser.setApplicationDescription("The window of Belljar: launches sessions, shows what each reaches for, and what past ones did.\n\n"
                                     "examples:\n"
                                     "  belljar-desktop                       opens the window, or raises the one that is open\n"
                                     "  belljar-desktop ~/src/project         offers a session there\n"
                                     "  belljar-desktop --shots pictures --theme light --size 1024x700");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("DIR", "A folder for the next session", "[DIR]");
    const QCommandLineOption self_test("self-test", "Load every page and end: 0 when all went well");
    const QCommandLineOption shots("shots", "Write a PNG of every page into FOLDER, and end", "FOLDER");
    const QCommandLineOption theme("theme", "dark or light, whatever the desktop is", "THEME");
    const QCommandLineOption size("size", "The window's size, such as 1440x900", "WxH");
    parser.addOptions({self_test, shots, theme, size});
    parser.process(application);
    DesktopOptions options;
    options.self_test = parser.isSet(self_test);
    options.shots = parser.value(shots);
    options.theme = parser.value(theme);
    if (!options.theme.isEmpty() && options.theme != "dark" && options.theme != "light")
        return failure("--theme " + options.theme.toStdString(), "there is no such theme", "dark or light");
    if (parser.isSet(size)) {
        const QStringList sides = parser.value(size).split('x');
        if (sides.size() == 2) options.size = QSize(sides[0].toInt(), sides[1].toInt());
        if (options.size.width() < 200 || options.size.height() < 200 || options.size.width() > 10000 || options.size.height() > 10000)
            return failure("--size " + parser.value(size).toStdString(), "that is no size", "such as 1440x900");
    }
    if (const QStringList rest = parser.positionalArguments(); !rest.isEmpty()) {
        options.folder = QDir(rest.front()).absolutePath();
        if (rest.size() > 1 || !QDir(options.folder).exists())
            return failure("open " + rest.front().toStdString(), rest.size() > 1 ? "only one folder can be opened" : "there is no such folder");
    }
    return options;
}

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv); // not QGuiApplication: Qt Charts needs the widgets' one
    application.setApplicationName("belljar-desktop");
    application.setApplicationDisplayName("Belljar");
    application.setApplicationVersion(BELLJAR_VERSION);
    application.setDesktopFileName("org.belljar.Desktop");
    const auto options = read_options(application);
    if (!options) return complain(options.error());
    const auto place = find_place();
    if (!place) return complain(place.error());

    const bool by_hand = !options->self_test && options->shots.isEmpty();
    std::unique_ptr<SingleInstance> instance;
    if (by_hand) {
        auto claimed = SingleInstance::claim(place->paths.runtime, options->folder);
        if (!claimed) return complain(claimed.error());
        instance = std::move(*claimed);
        if (instance->role() == SingleInstance::Role::Second) return 0;
    }
    choose_renderer();
    qml_register_types_Belljar_App();
    qml_register_types_Belljar_Sessions();
    qml_register_types_Belljar_Start();
    qml_register_types_Belljar_System();

    App app(*place);
    QQmlApplicationEngine engine;
    add_qml_module(engine);
    engine.setInitialProperties({{"theme", options->theme}, {"still", !by_hand}});
    engine.load(QUrl("qrc:/qt-project.org/imports/Belljar/pages/Main.qml"));
    auto* window = engine.rootObjects().isEmpty() ? nullptr : qobject_cast<QQuickWindow*>(engine.rootObjects().front());
    if (window == nullptr) return complain(Error{"open the window", "its parts do not load; see above", "install Belljar again, whole", 0});
    if (options->size.isValid()) window->resize(options->size);
    if (!by_hand) {
        const Status shown = show_every_page(*window, options->shots);
        return shown ? 0 : complain(shown.error());
    }
    QObject::connect(instance.get(), &SingleInstance::message_came, &app, [&app](const QString& folder) {
        app.open_folder(folder);
        emit app.raised();
    });
    if (!options->folder.isEmpty()) app.open_folder(options->folder);
    return QApplication::exec();
}
