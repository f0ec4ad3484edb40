// Runs a piece of a test in a child with new namespaces, where it has all capabilities, and brings its verdict back.
#pragma once

#include "core/system/descriptor_passing.h"
#include "core/system/files.h"
#include "helper/builder/namespaces.h"

#include <QString>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

// An empty string when `body` returned one; else what it returned, or how the child ended.
inline QString in_namespaces(std::uint64_t namespaces, const std::function<std::string()>& body) {
    auto pipe = belljar::make_pipe();
    if (!pipe) return QString::fromStdString(pipe.error().message());
    const uid_t uid = ::getuid();
    const gid_t gid = ::getgid();
    const auto child = belljar::fork_into(namespaces);
    if (!child) return QString::fromStdString(child.error().message());
    if (*child == 0) {
        const auto mapped = belljar::map_own_identity(uid, gid);
        const std::string verdict = mapped ? body() : mapped.error().message();
        (void)belljar::write_all(pipe->second.get(), verdict, "the verdict");
        ::_exit(7);
    }
    pipe->second.reset();
    const auto verdict = belljar::read_all(pipe->first.get(), "the verdict");
    int status = 0;
    ::waitpid(*child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) return QStringLiteral("the child ended with wait status %1").arg(status);
    return verdict ? QString::fromStdString(*verdict) : QString::fromStdString(verdict.error().message());
}
