#pragma once

#include <span>

namespace assay::stats {

/// What pairs in which both sides are the same code say about a session: whether it favours one side, and how fine a
/// difference it can see.
struct SelfComparison {
  double spread = 0;  ///< Standard deviation of a pair's log-ratio about 0, from the middle half of the magnitudes.
  double spread_upper = 0;  ///< What it does not exceed with the stated confidence; infinite below 4 pairs.
  double log_evidence = 0;  ///< Natural logarithm of the evidence that one side is favoured.
  bool biased = false;      ///< The evidence reached 1 / alpha: nothing that was measured in this session counts.
};

/// Judges A/A pairs. Two processes with the same code have a log-ratio that is symmetric about 0 whatever the noise is, so
/// that the mean of the evidence below 0 and above 0 (symmetric_evidence.hpp) reaches 1 / alpha in at most a share `alpha`
/// of sound sessions, over all looks together. The spread is the median magnitude over that of a standard normal, 0.6745,
/// and its upper bound the order statistic of the magnitudes that bounds their median with probability 1 - alpha (the sign
/// test; Thompson, "On confidence ranges for the median", 1936): neither knows the distribution, or minds outliers.
/// `alpha` in (0, 1); no value may be a NaN.
[[nodiscard]] SelfComparison judge_self_comparison(std::span<const double> log_ratios, double alpha);

/// Estimates how many process pairs the sequential test takes to find, with probability 0.95, a gain whose log-ratio is
/// `beyond` > 0 further than the minimum effect, where a pair's spread is `spread` > 0 and the two-sided error is `alpha`:
/// the n at which n u^2 / 2 - 1.645 sqrt(n) u reaches log(2 / alpha) + log(5) / 2 with u = beyond / spread (Wald's
/// approximation for the best of the five bettors), and at least least_values_for_evidence. Measured against
/// simulations in the test: within a quarter for normal pairs.
[[nodiscard]] int pairs_to_find(double beyond, double spread, double alpha);

}  // namespace assay::stats
