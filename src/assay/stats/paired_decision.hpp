#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay::stats {

/// What a paired comparison can conclude. Log-ratios are log(candidate / incumbent): below 0 is faster.
enum class PairedConclusion : std::uint8_t { better, not_better, undecided };

/// How the pairs are tested at each look.
enum class PairedTest : std::uint8_t {
  student_t,  ///< Student's t; alpha is split over the looks. Decides from 2 pairs on; leans on nearly normal pairs.
  evidence,  ///< symmetric_evidence.hpp: leans on symmetry alone, costs nothing for looking; needs least_values_for_evidence(alpha).
};

/// The rule: look after each pair from minimum_pairs to maximum_pairs.
struct PairedRule {
  int minimum_pairs = 3;
  int maximum_pairs = 8;
  double alpha = 0.05;  ///< Two-sided error over all looks together.
  /// Relative gain that counts: better means log-ratio < log(1 - minimum_effect).
  double minimum_effect = 0.01;
  /// Stop undecided once the predictive probability that `better` could still be concluded at the last look is
  /// below this; 0: never. It cannot raise the error, only cost power.
  double futility = 0;
  PairedTest test = PairedTest::student_t;
  /// Where a contradiction by the second clock may come from waiting for a processor (waiting.hpp): how sure it must be
  /// that it does not, over all looks together; 0: nobody waits there.
  double waiting_level = 0;
};

/// An interval for the mean of the pairs' log-ratios at one look.
struct PairedInterval {
  double mean = 0;
  double lower = 0;
  double upper = 0;
};

struct PairedDecision {
  PairedConclusion conclusion = PairedConclusion::undecided;
  PairedInterval interval;  ///< At the last look that was taken; infinite bounds before the first.
  int pairs_used = 0;       ///< The pairs up to the look that decided or gave up; all of them if none did.
  bool futile = false;      ///< Undecided, and more pairs are not worth their time.
};

/// Number of looks that the rule takes at most, and the two-sided error that each may spend on Student's t: alpha is split
/// evenly (Bonferroni), which is valid whatever the correlation of the looks.
[[nodiscard]] int look_count(const PairedRule& rule);
[[nodiscard]] double alpha_per_look(const PairedRule& rule);

/// Student's t interval for the mean of `values` (at least 2) at two-sided error `alpha`. Assumes that the
/// process pairs are independent and nearly normal on the log scale; they are few, so the t quantile is what
/// keeps it honest.
[[nodiscard]] PairedInterval t_interval(std::span<const double> values, double alpha);

/// The probability, after `values` (at least 2) of `maximum_pairs`, that the interval at the last look lies below
/// `threshold`: the mean of the pairs to come follows Student's t about the mean so far (flat prior, so that the
/// spread of a few pairs is not believed more than it deserves), and the standard deviation stays as it is.
/// Predictive power as in Spiegelhalter, Freedman and Blackburn (1986), for a mean of unknown variance.
[[nodiscard]] double chance_of_better(std::span<const double> values, int maximum_pairs, double threshold,
                                      double alpha);

/// Replays the rule over the log-ratios in the order in which they were measured and stops at the first look
/// that decides. Pure: the judge uses it to stop, `promote` to recompute.
[[nodiscard]] PairedDecision decide_paired(std::span<const double> pair_log_ratios, const PairedRule& rule);

}  // namespace assay::stats
