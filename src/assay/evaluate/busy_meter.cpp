#include <assay/evaluate/busy_meter.hpp>

namespace assay::evaluate {

namespace {

constexpr std::chrono::seconds kBetweenLooks{1};

}  // namespace

BusyMeter::BusyMeter(const device::Device& device)
    : device_(device),
      next_(std::chrono::steady_clock::now() + kBetweenLooks),
      from_us_(
          std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count()) {}

void BusyMeter::look(Look which) {
  const auto now = std::chrono::steady_clock::now();
  if (which == Look::when_due && now < next_) {
    return;
  }
  next_ = now + kBetweenLooks;
  for (const device::BusySample& sample : device_.busy_samples(latest_us_ == 0 ? from_us_ : latest_us_)) {
    if (sample.end_us <= from_us_ || sample.end_us <= latest_us_) {
      continue;
    }
    // The first one began before we did.
    if (latest_us_ != 0) {
      const auto length = static_cast<double>(sample.end_us - latest_us_);
      covered_us_ += length;
      busy_us_ += length * sample.share;
    }
    latest_us_ = sample.end_us;
  }
}

}  // namespace assay::evaluate
