#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/promote/policy.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::promote {

/// What a sweep means for the incumbent, recomputed from the raw samples (never taken from the judge's word). Where
/// nothing could be compared (the candidate failed, or a cell is missing) the ratios are 1 and the bounds infinite.
struct Decision {
  /// Persisted as "promote" and "keep_incumbent".
  enum class Verdict : std::uint8_t { promote, keep_incumbent };
  Verdict verdict = Verdict::keep_incumbent;
  double speedup = 1;        ///< Incumbent time over candidate time: exp(-mean log-ratio), geometric over workloads.
  double speedup_lower = 0;  ///< Interval over all looks; 0 and infinity where there is none.
  double speedup_upper = std::numeric_limits<double>::infinity();
  double mean_latency_ratio = 1;     ///< Mean of candidate medians over mean of incumbent medians.
  double contest_score = 1;          ///< Mean over workloads of incumbent median / candidate median.
  double p95_ratio = 1;              ///< 95th percentile over workloads of exp(mean log-ratio): above 1 is slower.
  int workloads = 0;                 ///< Compared: all of the request's, or 0.
  int pairs = 0;                     ///< Up to the look that decided.
  std::vector<std::string> reasons;  ///< In words, the deciding one first; never empty.
  std::string correctness = {};  ///< How often it may be wrong (stats::failure_words); empty if it failed, and before.
};

/// Decides a sweep: `better` by the request's rule with its per-workload guards, and then the policy's guards on the
/// mean and the 95th percentile, and the bound of its failure rate. Anything else keeps the incumbent, with the reason: a failed candidate, a missing
/// workload or side, a tie, too few trials. A request that times otherwise than the policy is an input error ("promote.clock"). A judge
/// that its samples contradict is an internal error (see recompute.hpp).
[[nodiscard]] base::Result<Decision> decide(const task::EvaluationRequest& request, const task::Evaluation& evaluation,
                                            const std::vector<task::Sample>& samples, const Policy& policy);

[[nodiscard]] std::string_view to_string(Decision::Verdict verdict);

/// Encode and decode; an infinite bound is written as text.
[[nodiscard]] base::Json encode(const Decision& decision);
[[nodiscard]] base::Result<Decision> decode_decision(const base::Json& json, std::string_view source);

}  // namespace assay::promote
