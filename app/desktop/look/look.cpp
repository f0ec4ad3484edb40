#include "app/desktop/look/look.h"

#include "app/desktop/look/glyphs.h"

#include <QQmlEngine>

// Written by Qt's build; nothing else refers to it, so that the linker would leave the types out.
void qml_register_types_Belljar_Look();

namespace belljar {

void add_look(QQmlEngine& engine) {
    qml_register_types_Belljar_Look();
    engine.addImageProvider(QStringLiteral("glyph"), new GlyphProvider); // the engine's from here on
}

} // namespace belljar
