// One window for each user: a second start hands its folder to the first and ends (UI: a second start raises the first).
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <QLocalServer>
#include <QObject>
#include <memory>
#include <string>

namespace belljar {

class SingleInstance : public QObject {
    Q_OBJECT
public:
    enum class Role { First, Second };

    // `folder`: Belljar's runtime folder, 0700 and the user's own; made where it is missing. Waits at most a second for a first
    // one's answer.
    static Result<std::unique_ptr<SingleInstance>> claim(const std::string& folder, const QString& message);
    Role role() const { return role_; }

signals:
    void message_came(const QString& message); // of a second start

private:
    SingleInstance() = default;
    void serve();

    Role role_ = Role::First;
    UniqueFd lock_; // held for as long as we are the first; the kernel lets go of it when we end, however that is
    QLocalServer server_;
};

} // namespace belljar
