// What is said about a denied system call, and with which errno it is answered: everything notified except connect().
#pragma once

#include "helper/supervisor/notifications.h"
#include "helper/supervisor/processes.h"
#include "helper/supervisor/recorder.h"

#include <string>

namespace belljar {

class DeniedCalls {
public:
    // `nested`: namespaces inside are allowed by the policy (workspace.nested), so that is not what a denial is about.
    // `may_be_nested`: they could be, as far as the rest of the policy goes; else it is no advice.
    DeniedCalls(Processes& processes, Recorder& recorder, bool nested = false, bool may_be_nested = true)
        : processes_(processes), recorder_(recorder), nested_(nested), may_be_nested_(may_be_nested) {}
    // Notes the denial and returns the errno to answer with. `reason` only where the number alone does not say it.
    int deny(const NotifiedCall& call);
    // What a person who wonders why a program failed should hear at the end; "" when there is nothing.
    std::string advice() const;
    void note(const NotifiedCall& call, int errno_value, const std::string& reason);

private:
    Processes& processes_;
    Recorder& recorder_;
    bool nested_, may_be_nested_, namespace_denied_ = false;
    std::string key_;
};

} // namespace belljar
