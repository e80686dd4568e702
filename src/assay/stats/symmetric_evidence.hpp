#pragma once

#include <span>

#include <assay/stats/paired_decision.hpp>

namespace assay::stats {

/// Evidence about the centre of values that arrive one after another, which may be looked at after each of them.
///
/// Each value x multiplies a bettor's capital by 1 + 0.9 tanh(r (bound - x)) for a fixed rate r, and the evidence is the mean
/// capital of bettors at rates from 8 to 2048, so that spreads from 0.05 % to 10 % on the log scale are served. If each
/// value, given those before it, is symmetric about some centre at or above `bound` (or lies stochastically above one that
/// is), each factor has mean at most 1: those of y and -y add up to 2, and the factor falls as x rises. So the capital is a
/// nonnegative supermartingale, and by Ville's inequality it ever reaches 1 / a with probability at most a. Nothing is
/// assumed about the spread: it may be unknown, differ from value to value, drift, and have no variance at all.
/// Sources: Ville, "Etude critique de la notion de collectif" (1939); Robbins, "Statistical methods related to the law of
/// the iterated logarithm" (1970), for the mixture; Efron, "Student's t-test under symmetry conditions" (1969), whose
/// exp(r y - r^2 y^2 / 2) is nowhere above 1 + tanh(r y); Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic statistics and
/// safe anytime-valid inference" (2023).
///
/// For the log-ratio of a candidate to an incumbent in one process pair the assumption is exact where both are the same
/// code: exchanging the two processes changes the sign and nothing else, whatever placement, drift and outliers do, unless
/// the roles themselves differ (self_comparison.hpp watches for that). At another centre it says that the two scatter alike.
///
/// A factor lies between 0.1 and 1.9. So one outlier takes back what four values gave, never all; and evidence takes
/// values, however large the effect.

/// Returns how many values it takes at least until evidence can reach 2 / alpha. `alpha` in (0, 1).
[[nodiscard]] int least_values_for_evidence(double alpha);

/// Returns the natural logarithm of the evidence against "every centre is at or above `bound`"; 0 for no values.
/// Rises with `bound`. A value that is not finite makes it -infinity: broken numbers prove nothing.
[[nodiscard]] double log_evidence_below(std::span<const double> values, double bound);

/// Returns the same against "every centre is at or below `bound`".
[[nodiscard]] double log_evidence_above(std::span<const double> values, double bound);

/// Returns the interval of all bounds that neither evidence has excluded, at error alpha / 2 on each side. For a constant
/// centre the chance that it ever leaves the interval, over all looks together, is at most `alpha`. An end is infinite
/// while there are too few values to exclude anything. `mean` is the Hodges-Lehmann estimate: the median of the means of
/// all pairs of values, each value with itself among them. NaN if a value is not finite.
[[nodiscard]] PairedInterval evidence_interval(std::span<const double> values, double alpha);

/// Estimates the probability that the evidence below `bound` reaches exp(log_needed) by the time there are `most` values:
/// those to come are taken to scatter as those so far did, about a centre whose posterior is Student's t, and each
/// bettor's capital to be lognormal. For giving up early: whatever it says cannot raise the error of the test, because it
/// can only turn a conclusion into none. At least 2 values, fewer than `most`.
[[nodiscard]] double chance_of_evidence_below(std::span<const double> values, int most, double bound,
                                              double log_needed);

/// Replays the sequential test over the pairs' log-ratios: `better` once the evidence below log(1 - minimum_effect) reaches
/// 2 / alpha, `not_better` once that above does, and futile as the rule says, but not before there are values enough for
/// either: a clear loser shall be called one. The interval is that of the last look.
/// Called by decide_paired for a rule that wants it.
[[nodiscard]] PairedDecision decide_by_evidence(std::span<const double> pair_log_ratios, const PairedRule& rule);

}  // namespace assay::stats
