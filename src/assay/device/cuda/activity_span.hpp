#pragma once

#include <cstdint>
#include <vector>

namespace assay::device::cuda {

/// When one kernel, copy or fill ran, in nanoseconds of the device's clock.
struct ActivitySpan {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// What the activities of one call come to.
struct ActivitySummary {
  std::int64_t elapsed_ns = 0;  ///< From the first start to the last end.
  std::int64_t idle_ns = 0;     ///< Of it: while none of them ran.
};

/// Summarises activities in any order; they may overlap. None: zeros.
[[nodiscard]] ActivitySummary summarise_activity(std::vector<ActivitySpan> spans);

}  // namespace assay::device::cuda
