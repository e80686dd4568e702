#pragma once

#include <optional>
#include <span>

namespace assay::stats {

/// How wrong the weights of the workloads may be before a decision by a weighted sum turns into its opposite.
struct WeightTolerance {
  /// The smallest share of all weight that must move from some workloads to others (the total variation distance, from 0
  /// to 1). Absent: no weights turn the decision, for no workload speaks against it.
  std::optional<double> moved_share;
  /// The smallest factor by which every weight may be too small or too large at once, at worst, that turns it: at least 1.
  std::optional<double> factor;
};

/// Computes both for the decision "the weighted sum of the effects is below 0". `effects` are finite, `weights` above 0
/// and as many. A decision that does not hold to begin with has 0 and 1.
///
/// The share: weight is worth most when it moves from the lowest effect to the highest, so the lowest are emptied first.
/// The factor: with each weight within [w/g, w g], effects above 0 get the most and those below 0 the least, and the
/// sum vanishes at g = √(−sum of the negative terms / sum of the positive ones).
[[nodiscard]] WeightTolerance weight_tolerance(std::span<const double> effects, std::span<const double> weights);

}  // namespace assay::stats
