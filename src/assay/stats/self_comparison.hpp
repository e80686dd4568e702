#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/stats/paired_decision.hpp>
#include <assay/stats/paired_samples.hpp>

namespace assay::stats {

/// What a session says of one solution against a copy of itself (A/A): process pairs of the same kind as those of the
/// comparison, between them, with nothing to be found. What they show is what this machine shows of nothing.
struct SelfComparison {
  std::vector<double> pair_log_ratios;  ///< One a pair: log(copy / itself), mean over workloads. Missing ones left out.
  PairedInterval interval;              ///< Student's t at two-sided `alpha`; infinite bounds below two pairs.
  double noise_floor = 0;               ///< The larger of the two bounds' sizes; infinite below two pairs.
  double log_evidence = 0;  ///< Natural logarithm of the evidence that one side is favoured by more than the effect.
  bool biased = false;      ///< That evidence reached 1 / alpha at some look.
  /// It is biased, or the interval lies wholly beyond the effect that counts: nothing that this session says can be
  /// believed.
  bool failed = false;
};

/// Judges the log-ratios of A/A pairs, none of which is a NaN. `minimum_effect` and `alpha` as in PairedRule.
///
/// Two tests, because each sees what the other does not. Two processes with the same code have a log-ratio that is symmetric
/// about 0 whatever the noise is, so that the mean of the evidence below -effect and above +effect
/// (symmetric_evidence.hpp) reaches 1 / alpha in at most a share `alpha` of sound sessions, over all looks together; it
/// takes some pairs, and finds a steady preference through outliers. The interval answers from the second pair on. It lies
/// beyond the effect in fewer than `alpha` of sound sessions at one look; as the effect is not 0 it does so in far fewer.
[[nodiscard]] SelfComparison judge_self_comparison(std::vector<double> log_ratios, double alpha, double minimum_effect);

/// Does so with the copy (`candidate` of each sample) and the solution.
[[nodiscard]] SelfComparison compare_with_itself(std::span<const PairedSample> samples, int pairs, int workloads,
                                                 double alpha, double minimum_effect);

/// How a comparison stands to the noise of its own session.
enum class Standing : std::uint8_t {
  above_noise,   ///< Nothing is to be said against it.
  inside_noise,  ///< It is `better`, but by no more than the noise floor.
  void_session,  ///< The self-comparison failed.
};
[[nodiscard]] Standing standing_of(const PairedComparison& comparison, const SelfComparison& self);

/// Takes a conclusion back that the session's own noise does not bear out: it becomes `undecided`.
void withdraw_unless_above_noise(PairedComparison& comparison, const SelfComparison& self);

/// Estimates how many process pairs the sequential test takes to find, with probability 0.95, a gain whose log-ratio is
/// `beyond` > 0 further than the minimum effect, where a pair's spread is `spread` > 0 and the two-sided error is `alpha`:
/// the n at which n u^2 / 2 - 1.645 sqrt(n) u reaches log(2 / alpha) + log(5) / 2 with u = beyond / spread (Wald's
/// approximation for the best of the five bettors), and at least least_values_for_evidence. Measured against
/// simulations in the test: within a quarter for normal pairs.
[[nodiscard]] int pairs_to_find(double beyond, double spread, double alpha);

}  // namespace assay::stats
