// What is said about a denied system call, and with which errno it is answered: everything notified except connect().
#pragma once

#include "helper/supervisor/notifications.h"
#include "helper/supervisor/processes.h"
#include "helper/supervisor/recorder.h"

#include <string>

namespace belljar {

class DeniedCalls {
public:
    DeniedCalls(Processes& processes, Recorder& recorder) : processes_(processes), recorder_(recorder) {}
    // Notes the denial and returns the errno to answer with. `reason` only where the number alone does not say it.
    int deny(const NotifiedCall& call);
    void note(const NotifiedCall& call, int errno_value, const std::string& reason);

private:
    Processes& processes_;
    Recorder& recorder_;
    std::string key_;
};

} // namespace belljar
