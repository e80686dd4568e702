#pragma once

#include <cstdint>
#include <optional>
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
  /// The contents are those of the call just before, of the same workload, but for one element or scalar. Which argument that
  /// is in, as a number that takes all values in turn over the pairs of a session.
  std::optional<std::uint64_t> perturbed;
  bool repeats = false;  ///< The contents are those of the block before; untimed (repetition 0).
};

struct ScheduleOptions {
  std::int32_t pair = 0;
  std::int32_t workloads = 1;
  /// What a call of each workload costs the judge, in any unit, one a workload; empty: all alike. Probing calls go to the
  /// cheaper of two workloads drawn at random: mostly there, but nowhere never.
  std::vector<double> costs;
  std::int32_t timed_repetitions = 3;  ///< Without the warm-up.
  /// How many calls each workload gets, warm-up included, where they differ; empty: timed_repetitions + 1, which is the
  /// most of them otherwise. Only without perturbed and repeated calls.
  std::vector<std::int32_t> calls_on;
  bool with_incumbent = false;
  double check_fraction = 0.25;  ///< Chance that a timed call is checked.
  int perturbed_calls = 2;       ///< So many timed calls of the pair, one a round at most, are perturbed and checked.
  bool repeat = true;            ///< In the first pair one warm-up call is made twice with the same contents.
};

/// Makes the schedule of one process pair: rounds of repetitions, in each round the workloads in random order, for
/// each workload the two sides in random order. Sides come in blocks: a call of one, then of the other (one call alone
/// without an incumbent). Neighbours in time are the two that are compared; drift cancels.
[[nodiscard]] std::vector<ScheduledCall> make_schedule(const ScheduleOptions& options, base::Philox& random);

}  // namespace assay::measure
