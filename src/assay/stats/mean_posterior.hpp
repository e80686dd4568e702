#pragma once

#include <span>

namespace assay::stats {

/// What is believed of the mean of values before any is seen: as if `weight` values of mean `location` and `degrees` values of
/// standard deviation `spread` had been. All but `location` are above 0.
struct MeanPrior {
  double location = 0;
  double weight = 1;
  double spread = 1;
  double degrees = 1;
};

/// What is believed of it after them: Student's t about `location`. Values are taken as normal with unknown variance, which
/// they need not be for a search to profit: the spread of the mean is what decides how often an arm is tried again.
struct MeanPosterior {
  double location = 0;
  double scale = 0;
  double degrees = 1;

  /// The mean below which it lies with `probability` in (0, 1): of an even random number, one draw of what it may be.
  [[nodiscard]] double quantile(double probability) const;
};

/// The conjugate update for a normal with unknown mean and variance (normal-inverse-gamma). Values are finite.
[[nodiscard]] MeanPosterior believe(const MeanPrior& prior, std::span<const double> values);

}  // namespace assay::stats
