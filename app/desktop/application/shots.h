// `--shots` and `--self-test`: every page of the window, one after the other, with the real data of the state folder.
#pragma once

#include "core/system/error.h"

#include <QQuickWindow>
#include <QString>

namespace belljar {

// Shows each page of the window (its property `pages` names them, `page` is the one that shows), and waits for it to settle. Where
// `folder` is not empty a PNG of each is written into it, PAGE.png. Ends with the first that cannot be shown.
Status show_every_page(QQuickWindow& window, const QString& folder);

} // namespace belljar
