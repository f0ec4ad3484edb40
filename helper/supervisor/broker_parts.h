// What the connect broker works with. All of it outlives the broker; loop thread only.
#pragma once

#include "helper/supervisor/connect_threads.h"
#include "helper/supervisor/denied_calls.h"
#include "helper/supervisor/dns_callers.h"
#include "helper/supervisor/door.h"
#include "helper/supervisor/door_room.h"
#include "helper/supervisor/judge.h"
#include "helper/supervisor/notifications.h"
#include "helper/supervisor/outside.h"
#include "helper/supervisor/processes.h"
#include "helper/supervisor/recorder.h"

namespace belljar {

struct BrokerParts {
    Notifications& notifications;
    Processes& processes;
    DeniedCalls& denied_calls;
    Recorder& recorder;
    Judge& judge;
    Outside& outside;
    Door& door;
    const DoorRoom& room;
    RecentDnsCallers& dns_callers;
    ConnectThreads& threads;
};

} // namespace belljar
