// Which renderer the window gets.
#pragma once

namespace belljar {

// Before the first window: whether OpenGL can be had on this display, really tried. Where it cannot, Qt Quick draws in software,
// or the window would stay white. QT_QUICK_BACKEND and QSG_RHI_BACKEND are left as the user set them.
void choose_renderer();

} // namespace belljar
