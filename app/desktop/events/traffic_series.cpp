#include "app/desktop/events/traffic_series.h"

#include "core/record/event_bytes.h"

#include <algorithm>
#include <numeric>

namespace belljar {

TrafficSeries::TrafficSeries(QObject* parent) : QObject(parent) {
    soon_.setSingleShot(true);
    soon_.setInterval(1000);
    connect(&soon_, &QTimer::timeout, this, &TrafficSeries::ask);
    connect(this, &TrafficSeries::spanChanged, this, [this] { if (open_ && !frozen_) ask(); });
}

void TrafficSeries::opened(const QString&, quint64, bool) {
    open_ = true;
    ask();
}

void TrafficSeries::grown(quint64, bool) {
    if (open_ && !frozen_ && !asking_ && !soon_.isActive()) soon_.start();
}

void TrafficSeries::ask() {
    *latest_ = ++token_;
    asking_ = true;
    const int minutes = std::clamp(minutes_, 1, 60);
    EventQuestion question;
    question.what = EventQuestion::Bytes;
    question.token = token_;
    question.latest = latest_;
    question.until_us = until_ms_ != 0 ? until_ms_ * 1000 : now_us();
    question.since_us = question.until_us - minutes * 60'000'000LL;
    question.bins = minutes == 1 ? 60 : minutes <= 10 ? minutes * 12 : minutes * 6; // of 1, 5, 10 seconds
    emit asks(question);
}

void TrafficSeries::take(const EventAnswer& answer) {
    if (answer.token != token_ || answer.what != EventQuestion::Bytes) return;
    asking_ = false;
    error_ = answer.error;
    if (error_.isEmpty() && answer.traffic.bin_us > 0) {
        struct Line {
            std::string host;
            std::vector<double> bins;
            double sum;
        };
        std::vector<Line> all;
        for (const auto& [host, bins] : answer.traffic.by_host)
            if (const double sum = std::accumulate(bins.begin(), bins.end(), 0.0); sum > 0) all.push_back({host, bins, sum});
        // A host that is not known belongs to the rest, however much it is.
        std::sort(all.begin(), all.end(), [](const Line& one, const Line& other) {
            return one.host.empty() != other.host.empty() ? other.host.empty() : one.sum > other.sum;
        });
        const double seconds = static_cast<double>(answer.traffic.bin_us) / 1e6;
        hosts_.clear();
        lines_.clear();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool rest = i >= kTop || all[i].host.empty();
            if (!rest || hosts_.isEmpty() || !hosts_.last().isEmpty()) {
                hosts_ << (rest ? QString() : QString::fromStdString(visible(all[i].host)));
                lines_ << QList<double>(static_cast<qsizetype>(all[i].bins.size()), 0.0);
            }
            for (std::size_t bin = 0; bin < all[i].bins.size(); ++bin)
                lines_.last()[static_cast<qsizetype>(bin)] += all[i].bins[bin] / seconds;
        }
        since_ms_ = answer.traffic.since_us / 1000;
        bin_ms_ = static_cast<int>(answer.traffic.bin_us / 1000);
    }
    emit changed();
}

} // namespace belljar
