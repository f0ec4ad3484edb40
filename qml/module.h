// Makes the QML module Belljar known to an engine, with what it imports: `import Belljar` works from there on.
#pragma once

class QQmlEngine;

namespace belljar {

void add_qml_module(QQmlEngine& engine);

} // namespace belljar
