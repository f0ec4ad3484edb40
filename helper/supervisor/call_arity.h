// How many arguments an x86-64 system call takes. The notification carries all six registers; those beyond a call's own
// hold whatever the program left there, which would make identical calls look different and means nothing to a reader.
#pragma once

namespace belljar {

int call_arity(int number); // 0 to 6; 6 for a number that is not known

} // namespace belljar
