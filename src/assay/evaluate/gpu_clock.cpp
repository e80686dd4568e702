#include <assay/evaluate/gpu_clock.hpp>

namespace assay::evaluate {

base::Result<void> GpuClock::record(std::size_t event, const device::cuda::Stream& stream) {
  if (event == events_.size()) {
    ASSAY_TRY_ASSIGN(device::cuda::Event made, device::cuda::Event::create());
    events_.push_back(std::move(made));
  }
  return events_[event].record(stream);
}

base::Result<void> GpuClock::start(Work work, const device::cuda::Stream& stream) {
  ASSAY_TRY(record(2 * spans_.size(), stream));
  spans_.push_back({work, 2 * spans_.size()});
  return {};
}

base::Result<void> GpuClock::stop(const device::cuda::Stream& stream) {
  return record(spans_.back().first_event + 1, stream);
}

base::Result<void> GpuClock::collect() {
  for (const Span& span : spans_) {
    ASSAY_TRY_ASSIGN(const std::int64_t took,
                     device::cuda::elapsed_ns(events_[span.first_event], events_[span.first_event + 1]));
    nanoseconds_[static_cast<std::size_t>(span.work)] += took;
  }
  spans_.clear();
  return {};
}

task::Named<double> GpuClock::seconds() const {
  static constexpr std::array<const char*, 6> kNames = {"make inputs",     "digest inputs",          "reference",
                                                        "prepare outputs", "keep and guard outputs", "compare outputs"};
  task::Named<double> named;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    named.emplace_back(kNames[i], static_cast<double>(nanoseconds_[i]) * 1e-9);
  }
  return named;
}

}  // namespace assay::evaluate
