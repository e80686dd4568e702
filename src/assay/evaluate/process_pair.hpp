#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/evaluate/diagnosis.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/tensor/comparison.hpp>

namespace assay::evaluate {

/// How one process pair went.
struct PairResult {
  std::vector<task::Sample> samples;
  std::int64_t checked_calls = 0;
  /// One a workload: the candidate's calls on new inputs that were checked and right.
  std::vector<std::int64_t> clean_calls;
  std::vector<std::int64_t> floors_ns;  ///< Empty-call time, one a process.
  std::vector<task::Finding> flags;     ///< Seen and worth telling, but no reason to reject.
  /// One a timed call of the incumbent: CPU time that the candidate's processes used meanwhile, over the call's time.
  std::vector<double> interference;
  /// On a device, one a timed call: how long other work of the process went on after its stream's had ended.
  std::map<task::Side, std::vector<double>> outlived_ns;
  /// On a device, one a timed call of a side and workload: how long the device waited for the host, over the time.
  std::map<std::pair<task::Side, std::int32_t>, std::vector<double>> idle_shares;
  std::optional<task::PairReadings> readings;  ///< Of a comparison or a measurement, where the device can tell.
  /// One a workload: the least work of a call, over the first pair's warm-up calls; zeros in other pairs.
  std::vector<operators::Work> least_work;
  /// One a workload: how far the candidate's first checked call was from the reference; nothing where none was measured.
  std::vector<std::optional<tensor::LargestErrors>> largest_errors;
  task::Named<double> stages;  ///< Where the time around calls went, in seconds.
  /// Where calls run on a device: how long it worked for the judge and for the two sides, at what; and what it says of
  /// itself: for how long, and of that how long some kernel ran.
  task::Named<double> device_seconds;
  double bytes_per_ns = 0;           ///< Cold read bandwidth; 0 where it was not measured.
  std::optional<Fault> fault;        ///< The first thing that went wrong; the pair ended with it.
  bool killed_from_outside = false;  ///< The fault is an infrastructure fault that a fresh pair may be spared.
};

/// Whether a pair measures what the roofline's floor takes, `least_work` and `bytes_per_ns`: once a session, for what a call
/// must move, and how fast this memory is, are the same in every pair.
[[nodiscard]] bool measures_floor(const Session& session, std::int32_t pair);

/// Runs one fresh pair of worker processes (one process if there is no incumbent) with fresh memory through a random
/// schedule of checked and timed calls. Inputs are shared by the two sides, read-only; outputs are each side's own.
[[nodiscard]] base::Result<PairResult> run_pair(const Session& session, std::int32_t pair);

}  // namespace assay::evaluate
