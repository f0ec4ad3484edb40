// The limits of this process (getrlimit(2)).
#pragma once

namespace belljar {

// The soft limit of open files to the hard one: connections take two each, and thousands are more than the usual soft limit.
// Where it is refused the limit stays as it is.
void raise_open_files_limit();

} // namespace belljar
