// The cells of an emulated terminal as bytes that draw them on a real one. Only printable characters, colours and
// attributes come out, whatever went in.
#pragma once

#include <string>

struct VTermScreen;
struct VTermState;

namespace belljar {

// Every row with something on it, from the first; each placed by its number. Ends with the default colours.
std::string paint_cells(VTermScreen* cells, int rows, int columns);
// The colours and attributes that the next character gets.
std::string paint_pen(VTermState* state);

} // namespace belljar
