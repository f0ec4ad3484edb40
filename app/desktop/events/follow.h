// Ties a model to the follower: questions one way, answers and growth the other, each in its own thread. Answers go to the model
// that asked, by its token cell.
#pragma once

#include "app/desktop/events/record_follower.h"

namespace belljar {

template <class Model>
void follow(RecordFollower& follower, Model& model) {
    QObject::connect(&model, &Model::asks, &follower, &RecordFollower::ask);
    QObject::connect(&follower, &RecordFollower::opened, &model, &Model::opened);
    QObject::connect(&follower, &RecordFollower::grew, &model, &Model::grown);
    QObject::connect(&follower, &RecordFollower::answered, &model, [&model](const EventAnswer& answer) {
        if (model.asked_by_this(answer)) model.take(answer);
    });
}

} // namespace belljar
