// Where sessions live on disk (XDG Base Directory Specification):
//   state   $BELLJAR_STATE_DIR   | $XDG_STATE_HOME/belljar   | ~/.local/state/belljar   sessions/<id>/…, index.db
//   runtime $BELLJAR_RUNTIME_DIR | $XDG_RUNTIME_DIR/belljar  | <state>/run              <id>/session.sock
//   config  $BELLJAR_CONFIG_DIR  | $XDG_CONFIG_HOME/belljar  | ~/.config/belljar        policies/
// Relative values are ignored, as the specification says.
#pragma once

#include <string>
#include <string_view>

namespace belljar {

struct Paths {
    std::string state, runtime, config;
    static Paths from_environment(const std::string& home);

    std::string sessions() const { return state + "/sessions"; }
    std::string homes() const { return state + "/homes"; } // kept homes: homes/NAME/home, and homes/NAME/lock
    std::string kept_home(std::string_view name) const { return homes() + "/" + std::string(name); }
    std::string index() const { return state + "/index.db"; }
    std::string session(std::string_view id) const { return sessions() + "/" + std::string(id); }
    std::string session_runtime(std::string_view id) const { return runtime + "/" + std::string(id); }
};

// Names inside a session's state folder.
inline constexpr const char* kRecordFile = "record.db";
inline constexpr const char* kSpecFile = "spec.json";
inline constexpr const char* kConsoleFile = "console.log";
inline constexpr const char* kHomeFolder = "home";
// (A kept home has a lock too: each session that uses it holds a shared one on the file's first byte, an open file description
// lock, fcntl(2), and who removes it an exclusive one.)
inline constexpr const char* kLockFile = "lock";      // flock(2)ed by the supervisor: unlocked and unsealed means lost
// Name inside its runtime folder.
inline constexpr const char* kSessionSocket = "session.sock";

} // namespace belljar
