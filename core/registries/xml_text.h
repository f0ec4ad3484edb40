// As much of XML as Maven's settings.xml is made of: elements, text, comments, CDATA, the five entities and character numbers.
// A reader of our own, because it is a hundred lines for one small file of the user's own, and a library would be linked into
// a static program that starts in milliseconds. Strict: what is not well-formed, and every DOCTYPE (entities that grow, files
// that are fetched), is an Error with its line.
#pragma once

#include "core/system/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace belljar {

struct XmlText {
    std::string path; // "settings/mirrors/mirror/url": the names of the elements around it, without prefixes
    std::string text; // trimmed
    unsigned element = 0; // counts the parent elements as they begin: siblings' texts have the same number
};

// The text of each element that holds no element, in the file's order.
Result<std::vector<XmlText>> read_xml(std::string_view text);

} // namespace belljar
