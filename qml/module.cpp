#include "qml/module.h"

#include "app/desktop/look/look.h"

#include <QQmlEngine>
#include <QtGlobal>

// Written by Qt's build; nothing else refers to them, so that the linker would leave the types and the compiled QML out.
void qml_register_types_Belljar();

// The macro declares a function in the name space where it stands, and the one it means is in none.
static void load_compiled_qml() { Q_INIT_RESOURCE(qmlcache_belljar_qml); }

namespace belljar {

void add_qml_module(QQmlEngine& engine) {
    qml_register_types_Belljar();
    load_compiled_qml();
    add_look(engine);
}

} // namespace belljar
