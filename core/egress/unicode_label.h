// One label of an internationalised host name, from U-label to A-label: UTF-8 is read strictly (RFC 3629), folded to
// lower case, checked against the scripts below, and encoded (punycode, RFC 3492). This is a careful part of IDNA 2008
// (RFC 5891, RFC 5892), not the whole of it: a policy is written by a person, who can always write the A-label
// ("xn--…"), and a label that may look like another one is worth an error. Refused therefore: letters of two scripts in
// one label (Japanese and Korean writing excepted), combining accents (the composed letter is wanted), joiners,
// full-width forms, symbols, and scripts that need rules beyond a range of letters.
#pragma once

#include "core/system/error.h"

#include <string>
#include <string_view>

namespace belljar {

// "bücher" → "xn--bcher-kva". ASCII labels pass lower-cased. The label holds no dot. At most 63 bytes come out.
Result<std::string> label_to_ascii(std::string_view label);

// RFC 3492 section 6.3, without the "xn--". Fails on overflow only, which labels of a legal length cannot reach.
Result<std::string> punycode_encode(std::u32string_view code_points);

} // namespace belljar
