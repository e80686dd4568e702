#pragma once

#include <cstdint>

#include <assay/base/random.hpp>

namespace assay::stats {

/// What is believed about a failure rate: a beta distribution, conjugate to trials that fail independently at one rate.
/// It steers where trials go; what a verdict claims comes from bounds that believe nothing (failure_bound.hpp).
struct FailureBelief {
  double failures = 0.1;  ///< First shape, > 0. The default expects few: half its mass lies below 0.1 %.
  double successes = 1;   ///< Second shape, > 0.

  [[nodiscard]] double mean() const { return failures / (failures + successes); }
};

/// Trials that were made, of this candidate or of another.
struct TrialCount {
  std::int64_t trials = 0;
  std::int64_t failures = 0;
};

/// Returns the belief after trials that count by `discount` in [0, 1]: 1 for trials of the same thing, less for those of
/// something alike (the power prior; Ibrahim and Chen, "Power prior distributions for regression models", 2000).
[[nodiscard]] FailureBelief updated(const FailureBelief& belief, const TrialCount& count, double discount = 1);

/// Returns the rate below which the true one lies with probability `probability` in (0, 1), as believed.
[[nodiscard]] double credible_upper_bound(const FailureBelief& belief, double probability);

/// Returns the probability, as believed, that at least one of `trials` more trials fails: 1 - B(a, b + trials) / B(a, b).
[[nodiscard]] double expected_detection(const FailureBelief& belief, std::int64_t trials);

/// Draws a rate from the belief: a ratio of gamma variables (Marsaglia and Tsang, "A simple method for generating gamma
/// variables", 2000).
[[nodiscard]] double draw_rate(const FailureBelief& belief, base::Philox& random);

}  // namespace assay::stats
