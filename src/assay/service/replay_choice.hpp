#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/task/request.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/workload.hpp>

namespace assay::service {

/// Without trials, kept inputs are replayed so far: so many, and of so many bytes of arguments together (one in any case: the first, if none is so small).
/// It is what a verdict within a second can afford. With trials all of them are.
inline constexpr std::size_t kReplaysWithoutTrials = 2;
inline constexpr std::uint64_t kReplayedBytesWithoutTrials = std::uint64_t{16} << 20U;

/// Orders kept inputs by what they are worth against a candidate: those it failed on itself, those that caught candidates
/// which share code with it, and then all others; among these groups each difficult kind and each workload has its newest
/// before any has a second. `kept` is newest first.
[[nodiscard]] base::Result<std::vector<archive::StoredFailingInput>> order_replays(
    const archive::Archive& archive, std::vector<archive::StoredFailingInput> kept, const task::Solution& candidate);

/// Finds what the dataset gives for a workload of this UUID; nothing where it has no such workload, or no files of it.
using GivenSource = std::function<base::Result<std::vector<task::GivenInput>>(const std::string& uuid)>;
/// The same, from workloads that have it already.
[[nodiscard]] GivenSource given_of(const std::vector<task::Workload>& workloads);

/// Completes a request by what the archive knows: the inputs to be replayed first, and, if it asks for trials, how many each
/// workload gets (trial_history.hpp), so that `failure_bound` is still reached if none fails. `given` is asked only for kept
/// inputs that were given when they failed. Deterministic for a state of the archive.
[[nodiscard]] base::Result<void> add_history(const archive::Archive& archive, const GivenSource& given,
                                             double failure_bound, task::EvaluationRequest& request);

}  // namespace assay::service
