// Runs the Qt Quick Tests of components/: each component by clicking and typing.
#include "qml/module.h"

#include <QApplication>
#include <QQmlEngine>
#include <QtQuickTest>

class Setup : public QObject {
    Q_OBJECT
public slots:
    void qmlEngineAvailable(QQmlEngine* engine) { belljar::add_qml_module(*engine); }
};

int main(int argc, char** argv) {
    QApplication application(argc, argv); // Qt Charts wants one with widgets
    Setup setup;
    return quick_test_main_with_setup(argc, argv, "components", BELLJAR_QML_TESTS, &setup);
}
#include "test_qml_components.moc"
