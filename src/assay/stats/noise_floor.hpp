#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/stats/paired_decision.hpp>
#include <assay/stats/paired_samples.hpp>

namespace assay::stats {

/// What a session says of one solution against a copy of itself (A/A): process pairs of the same kind as those of the
/// comparison, between them, with nothing to be found. What they show is what this machine shows of nothing.
struct NoiseFloor {
  std::vector<double> pair_log_ratios;  ///< One a pair: log(copy / itself), mean over workloads. Missing ones left out.
  PairedInterval interval;              ///< Student's t at two-sided `alpha`; infinite bounds below two pairs.
  double noise_floor = 0;               ///< The larger of the two bounds' sizes; infinite below two pairs.
  /// The interval lies wholly beyond the effect that counts: nothing that this session says can be believed. Of sound
  /// sessions this is true of fewer than `alpha`.
  bool failed = false;
};

/// Compares the copy (`candidate` of each sample) with the solution. `minimum_effect` and `alpha` as in PairedRule.
[[nodiscard]] NoiseFloor compare_with_itself(std::span<const PairedSample> samples, int pairs, int workloads,
                                             double alpha, double minimum_effect);

/// How a comparison stands to the noise of its own session.
enum class Standing : std::uint8_t {
  above_noise,   ///< Nothing is to be said against it.
  inside_noise,  ///< It is `better`, but by no more than the noise floor.
  void_session,  ///< The self-comparison failed.
};
[[nodiscard]] Standing standing_of(const PairedComparison& comparison, const NoiseFloor& self);

/// Takes a conclusion back that the session's own noise does not bear out: it becomes `undecided`.
void withdraw_unless_above_noise(PairedComparison& comparison, const NoiseFloor& self);

}  // namespace assay::stats
