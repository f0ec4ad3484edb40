// A record in other forms. Secrets (what looks like a token, key or password in arguments, names and paths) are masked
// unless `raw`. Control characters are escaped in every form.
#pragma once

#include "core/record/reader.h"

#include <iosfwd>

namespace belljar {

enum class ExportFormat { JsonLines, Csv };

Status export_record(const RecordReader& record, ExportFormat format, bool raw, std::ostream& out);
// One event as a sentence for people: "12:03:04.123456  denied   gist.github.com:443  by curl (pid 14): no rule allows it".
std::string in_words(const StoredEvent& event);
std::string mask_secrets(std::string_view text);

} // namespace belljar
