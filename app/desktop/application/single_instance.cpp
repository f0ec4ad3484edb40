#include "app/desktop/application/single_instance.h"

#include "core/system/files.h"

#include <QLocalSocket>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar {
namespace {

constexpr int kWaitMs = 1000;
constexpr qint64 kMostBytes = 8192; // of a message: a path

Status check_own(const std::string& folder) {
    struct stat st {};
    if (::lstat(folder.c_str(), &st) != 0) return system_failure("look at " + folder);
    if (S_ISDIR(st.st_mode) && st.st_uid == ::geteuid() && (st.st_mode & 077) == 0) return {};
    return failure("folder " + folder, "it is not yours alone", "`belljar doctor` tells what to do");
}

} // namespace

Result<std::unique_ptr<SingleInstance>> SingleInstance::claim(const std::string& folder, const QString& message) {
    if (Status made = make_folders(folder, 0700); !made) return tl::unexpected(made.error());
    if (Status own = check_own(folder); !own) return tl::unexpected(own.error());
    std::unique_ptr<SingleInstance> instance(new SingleInstance);
    const QString socket = QString::fromStdString(folder + "/window.sock");
    instance->lock_.reset(::open((folder + "/window.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!instance->lock_) return system_failure("open the window's lock");
    if (::flock(instance->lock_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return system_failure("lock the window's lock");
        instance->role_ = Role::Second;
        QLocalSocket first;
        first.connectToServer(socket);
        if (!first.waitForConnected(kWaitMs))
            return failure("open the window", "another one runs and does not answer", "end it, or wait until it does");
        first.write(message.toUtf8() + '\n');
        first.waitForBytesWritten(kWaitMs);
        first.disconnectFromServer();
        return instance;
    }
    QLocalServer::removeServer(socket); // of one that was killed: the lock says that none lives
    instance->server_.setSocketOptions(QLocalServer::UserAccessOption);
    if (!instance->server_.listen(socket))
        return failure("listen for a second start of the window", instance->server_.errorString().toStdString());
    instance->serve();
    return instance;
}

void SingleInstance::serve() {
    connect(&server_, &QLocalServer::newConnection, this, [this] {
        while (QLocalSocket* second = server_.nextPendingConnection()) {
            connect(second, &QLocalSocket::disconnected, second, &QObject::deleteLater);
            connect(second, &QLocalSocket::readyRead, this, [this, second] {
                if (!second->canReadLine()) {
                    if (second->bytesAvailable() > kMostBytes) second->abort();
                    return;
                }
                const QByteArray line = second->readLine(kMostBytes);
                emit message_came(QString::fromUtf8(line.chopped(line.endsWith('\n') ? 1 : 0)));
                second->disconnectFromServer();
            });
        }
    });
}

} // namespace belljar
