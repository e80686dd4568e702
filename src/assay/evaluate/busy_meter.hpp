#pragma once

#include <chrono>
#include <cstdint>

#include <assay/device/device.hpp>

namespace assay::evaluate {

/// How long a device was busy with anybody's kernels, by what it says itself (Device::busy_samples): an independent look
/// at the share of the time that the judge leaves it idle.
class BusyMeter {
 public:
  /// Counts from now on. The device outlives this.
  explicit BusyMeter(const device::Device& device);
  /// Asks the device, which keeps its samples for some seconds only; at most once a second unless it is the last time.
  enum class Look : std::uint8_t { when_due, last };
  void look(Look which);

  /// Seconds that samples tell of, and of these the busy ones: both 0 where none were to be had.
  [[nodiscard]] double covered_seconds() const { return covered_us_ * 1e-6; }
  [[nodiscard]] double busy_seconds() const { return busy_us_ * 1e-6; }

 private:
  const device::Device& device_;
  std::chrono::steady_clock::time_point next_;
  std::int64_t from_us_ = 0;    ///< Of the system clock. A sample that ends before is none of ours.
  std::int64_t latest_us_ = 0;  ///< Up to which samples were counted; 0: not even the first has come.
  double covered_us_ = 0;
  double busy_us_ = 0;
};

}  // namespace assay::evaluate
