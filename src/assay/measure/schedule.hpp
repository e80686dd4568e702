#pragma once

#include <cstdint>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::measure {

/// One call of a process pair. Checked and timed calls are the same calls: the worker cannot tell them apart.
struct ScheduledCall {
  task::Side side = task::Side::candidate;
  std::int32_t workload = 0;
  std::int32_t repetition = 0;  ///< 0: warm-up (checked, never in statistics).
  bool check = false;
  std::uint64_t contents =
      0;                     ///< Names the input contents. Both sides of a comparison get the same, next to each other.
  bool new_contents = true;  ///< False for the second side, which finds the inputs already in place.
};

struct ScheduleOptions {
  std::int32_t pair = 0;
  std::int32_t workloads = 1;
  std::int32_t timed_repetitions = 3;  ///< Without the warm-up.
  bool with_incumbent = false;
  double check_fraction = 0.25;  ///< Chance that a timed call is checked.
};

/// Makes the schedule of one process pair: rounds of repetitions, in each round the workloads in random order, for
/// each workload the two sides in random order. Neighbours in time are the two that are compared; drift cancels.
[[nodiscard]] std::vector<ScheduledCall> make_schedule(const ScheduleOptions& options, base::Philox& random);

}  // namespace assay::measure
