#include "helper/supervisor/denied_calls.h"

#include "core/syscalls/table.h"
#include "helper/supervisor/call_arity.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <linux/sched.h>
#include <sys/syscall.h>

namespace belljar {
namespace {

std::string errno_name(int value) {
    const char* name = ::strerrorname_np(value);
    return name ? name : std::to_string(value);
}

template <class T>
void append_bytes(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// clone(2) and unshare(2); that of clone3(2) lies in memory, and it answers ENOSYS to all.
bool wants_namespace(const NotifiedCall& call) {
    constexpr std::uint64_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                         CLONE_NEWPID | CLONE_NEWNET;
    if (call.number == SYS_clone) return (call.args[0] & namespaces) != 0;
    return call.number == SYS_unshare && (call.args[0] & (namespaces | CLONE_NEWTIME)) != 0;
}

} // namespace

int DeniedCalls::deny(const NotifiedCall& call) {
    const int errno_value = denial_errno(call.number);
    const bool about_namespaces = !nested_ && wants_namespace(call);
    namespace_denied_ = namespace_denied_ || about_namespaces;
    note(call, errno_value, about_namespaces ? "a namespace of its own" : "");
    return errno_value;
}

std::string DeniedCalls::advice() const {
    if (!namespace_denied_ || !may_be_nested_) return {};
    return "a program inside tried to make a namespace of its own, as sandboxes and browsers do: `nested = true` under "
           "[workspace] in your policy allows it, at the price of Landlock (docs/policy.md)";
}

// A denied call costs its caller some microseconds, and a flood of them must not cost more: so a repeat is counted
// before anything is put into words.
void DeniedCalls::note(const NotifiedCall& call, int errno_value, const std::string& reason) {
    const Processes::Known* known = processes_.identify(call.tid);
    const int arity = call_arity(call.number);
    key_.assign("call ");
    append_bytes(key_, call.number);
    append_bytes(key_, errno_value);
    append_bytes(key_, known ? known->mark : 0);
    key_.append(reinterpret_cast<const char*>(call.args), static_cast<std::size_t>(arity) * sizeof call.args[0]);
    key_ += reason;
    if (recorder_.repeat(key_)) return;

    NewEvent event{.kind = "syscall-denied", .fields = Json::object()};
    const std::string_view name = syscall_name(call.number);
    event.fields["syscall"] = name.empty() ? "syscall_" + std::to_string(call.number) : std::string(name);
    event.fields["nr"] = call.number;
    Json args = Json::array();
    for (int i = 0; i < arity; ++i) {
        char text[24];
        std::snprintf(text, sizeof text, "0x%" PRIx64, call.args[i]);
        args.push_back(text);
    }
    event.fields["args"] = std::move(args);
    event.fields["errno"] = errno_name(errno_value);
    if (!reason.empty()) event.fields["reason"] = reason;
    if (known) put_process(event.fields, known->identity);
    recorder_.note_repeating(key_, std::move(event));
}

} // namespace belljar
