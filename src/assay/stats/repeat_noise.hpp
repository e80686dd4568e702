#pragma once

#include <span>
#include <vector>

namespace assay::stats {

/// The scatter of repeated measurements of the same thing.
struct RepeatNoise {
  double sigma = 0;          ///< Standard deviation of one measurement; of its logarithm, if logarithms were given.
  int degrees = 0;           ///< Degrees of freedom behind it; 0: there are no repeats, and sigma says nothing.
  int groups = 0;            ///< Groups with at least two measurements.
  double largest_range = 0;  ///< Largest difference of two measurements of one group.
};

/// Pools the variance within groups of repeats, each about its own mean: the residual of a one-way analysis of variance.
/// Groups of one are counted out. Assumes that all groups scatter alike. All values are finite.
[[nodiscard]] RepeatNoise pooled_noise(std::span<const std::vector<double>> groups);

/// Returns the root of the mean square of differences whose true mean is 0 (pairs of repeats); 0 if there are none.
[[nodiscard]] double root_mean_square(std::span<const double> differences);

struct NoiseInterval {
  double lower = 0;
  double upper = 0;
};

/// Returns the interval that holds the true standard deviation with confidence 1 - alpha, if the values are normal: from
/// the chi-squared distribution of the sum of squares. `degrees` is at least 1, `alpha` in (0, 1).
[[nodiscard]] NoiseInterval sigma_interval(double sigma, int degrees, double alpha);

/// Returns the half-width of the band in which the difference of two single measurements of the same thing lies with
/// probability 0.95, if the standard deviation of one measurement is exactly `sigma`: 1.96 √2 sigma.
[[nodiscard]] double difference_band(double sigma);

/// Half-width of the central 95 % of a standard normal variable, rounded as everybody rounds it.
inline constexpr double kTwoSided95 = 1.96;

}  // namespace assay::stats
