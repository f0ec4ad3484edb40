// Makes the look known to an engine: the types of Belljar.Look and the signs ("image://glyph/…").
#pragma once

class QQmlEngine;

namespace belljar {

void add_look(QQmlEngine& engine);

} // namespace belljar
