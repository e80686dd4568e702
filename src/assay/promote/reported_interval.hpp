#pragma once

#include <optional>
#include <vector>

#include <assay/stats/hierarchical_bootstrap.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::promote {

/// How large a difference is, for people: beside the interval that decided, never instead of it. That one holds at every
/// point at which the session might have stopped, and takes what each pair came to as one number; this one holds for one
/// look, and says what sessions, process pairs and calls each contribute (stats/hierarchical_bootstrap.hpp).
struct ReportedInterval {
  double log_ratio =
      0;  ///< log(candidate / incumbent): mean over sessions of the mean over pairs of the median of blocks.
  double lower = 0;
  double upper = 0;
  double alpha = 0.05;  ///< Two-sided.
  int sessions = 0;
  int pairs = 0;  ///< Over all sessions.
};

/// The blocks of one session, by process pair: each is one repetition of every workload on both sides, as the mean over
/// workloads of the log-ratio. Warm-up calls, the incumbent's comparison with itself, blocks in which a time is missing or
/// not above 0, and pairs without a block are left out.
[[nodiscard]] std::vector<std::vector<double>> blocks_of(const task::EvaluationRequest& request,
                                                         const std::vector<task::Sample>& samples);

/// Returns the interval over sessions that compared the same two on the same workloads, at their plan's `alpha`. Nothing
/// if they have fewer than two pairs together.
[[nodiscard]] std::optional<ReportedInterval> reported_interval(const stats::NestedRatios& sessions, double alpha);

}  // namespace assay::promote
