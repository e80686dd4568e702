#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::stats {

/// Bounds for failure rates that hold at every moment, however often one looks, and whatever decided when to stop.

/// Returns the rate that the true one exceeds at no look with probability `confidence`, for trials that fail
/// independently at one rate. It inverts the mixture of likelihood ratios over a Beta(0.1, 1) prior, which bets on rates
/// near 0 (Robbins, 1970; Ville, 1939). Without a failure it is about a fifth above the exact bound for a number of trials that
/// was fixed before (failure_rate_upper_bound): the price of going on after failures. trials > 0, 0 <= failures <= trials.
[[nodiscard]] double anytime_failure_rate_upper_bound(std::int64_t failures, std::int64_t trials, double confidence);

/// The trials of one kind: a workload, or a workload with one kind of input.
struct Stratum {
  std::int64_t trials = 0;
  std::int64_t failures = 0;
  double weight = 1;  ///< Share of the calls in use; only ratios matter. >= 0, and above 0 for at least one stratum.
};

/// What the trials of all strata say together. All bounds hold at once, with the one confidence.
struct StrataBound {
  std::int64_t trials = 0;
  std::int64_t failures = 0;
  double in_use = 1;        ///< Upper bound for the rate of calls that are distributed as the weights say.
  std::size_t weakest = 0;  ///< The stratum about which least is known.
  double of_weakest = 1;    ///< Upper bound for its rate, and so for the rate of every stratum. 1 if it has no trial.
};

/// Bounds the rates of independent strata, of which at least one is given.
///
/// Without a failure the rates p that are not excluded are those under which trials so clean are not too improbable:
/// the product of (1 - p_w)^n_w is at least 1 - confidence. 1 / that product, kept while nothing fails, is a
/// nonnegative martingale under the true rates even if each trial's stratum is chosen after seeing all before it, so that by
/// Ville's inequality (1939) this region holds under adaptive allocation and at every moment, and costs no more than a
/// number of trials fixed before. Both bounds are maxima over the region: `of_weakest` spends all of it on one stratum,
/// `in_use` is found by equalising weight e^-q_w / n_w, where q_w = -log(1 - p_w) (a concave problem).
///
/// With failures each stratum has its own anytime bound at its share of the error, which is 1 - confidence over their
/// number (Bonferroni), and `in_use` is their weighted mean: valid, and wide. A candidate that failed is rejected anyway.
/// What is said before the first failure and what is said after it may each be wrong with probability 1 - confidence.
[[nodiscard]] StrataBound bound_strata(std::span<const Stratum> strata, double confidence);

}  // namespace assay::stats
