#pragma once

#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/stats/replay.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/workload.hpp>

namespace assay::service {

/// How many of the newest evaluations of a definition are history.
inline constexpr int kHistoryEvaluations = 500;

/// Tells, for each workload in turn, what trials of the newest kHistoryEvaluations of the definition's other candidates have
/// shown there: trials that ran clean, and failures that were found on it (wrong outputs, crashes and late calls that name
/// their workload). Siblings share code with it (siblings.hpp). Workloads whose axes are alike to a factor of two are one regime.
[[nodiscard]] base::Result<std::vector<stats::ReplayStratum>> trial_history(
    const archive::Archive& archive, const task::Definition& definition, const std::vector<task::Workload>& workloads,
    const task::Solution& candidate);

/// Returns how many of `budget` trials each stratum gets, at least one each; empty if nobody ever failed there, so that there
/// is nothing to go by and equally many serve best. A fifth of them is spread evenly, and as much more, in steps of a fifth,
/// as it takes for all of them together to bound the failure rate by `failure_bound` if none fails (1: no bound is asked
/// for); what no budget of this size can bound is spread evenly.
[[nodiscard]] std::vector<int> allocate_trials(const std::vector<stats::ReplayStratum>& strata, int budget,
                                               double failure_bound = 1);

}  // namespace assay::service
