#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/task/named.hpp>

namespace assay::evaluate {

/// How long the judge's own stream worked at what, by the device's events: seconds by kind. An interval holds its kernels
/// and copies, and what little the stream waits between them for the host to enqueue the next.
class GpuClock {
 public:
  enum class Work : std::uint8_t { inputs, digest, reference, prepare, keep, compare };

  /// Enqueues `work()` between two events.
  template <class Enqueue>
  [[nodiscard]] base::Result<void> time(Work work, const device::cuda::Stream& stream, const Enqueue& enqueue) {
    ASSAY_TRY(start(work, stream));
    ASSAY_TRY(enqueue());
    return stop(stream);
  }
  /// Adds what was timed since; the stream has been waited for.
  [[nodiscard]] base::Result<void> collect();
  [[nodiscard]] task::Named<double> seconds() const;

 private:
  struct Span {
    Work work;
    std::size_t first_event;
  };
  [[nodiscard]] base::Result<void> start(Work work, const device::cuda::Stream& stream);
  [[nodiscard]] base::Result<void> stop(const device::cuda::Stream& stream);
  [[nodiscard]] base::Result<void> record(std::size_t event, const device::cuda::Stream& stream);

  std::vector<device::cuda::Event> events_;  ///< Two a span, used again after `collect`.
  std::vector<Span> spans_;
  std::array<std::int64_t, 6> nanoseconds_{};
};

}  // namespace assay::evaluate
