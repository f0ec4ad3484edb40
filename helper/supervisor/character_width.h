// How many columns a character takes on a terminal: none (it is put onto the one before), one, or two. The C library's
// wcwidth(3) wants a locale, which a static program has not.
#pragma once

namespace belljar {

int character_width(char32_t character);

} // namespace belljar
