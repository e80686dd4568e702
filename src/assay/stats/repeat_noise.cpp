#include <assay/stats/repeat_noise.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <assay/base/error.hpp>
#include <assay/stats/distributions.hpp>

namespace assay::stats {

RepeatNoise pooled_noise(std::span<const std::vector<double>> groups) {
  RepeatNoise noise;
  double squares = 0;
  for (const std::vector<double>& group : groups) {
    if (group.size() < 2) {
      continue;
    }
    const double mean = std::accumulate(group.begin(), group.end(), 0.0) / static_cast<double>(group.size());
    for (const double value : group) {
      squares += (value - mean) * (value - mean);
    }
    const auto [low, high] = std::minmax_element(group.begin(), group.end());
    noise.largest_range = std::max(noise.largest_range, *high - *low);
    noise.degrees += static_cast<int>(group.size()) - 1;
    ++noise.groups;
  }
  noise.sigma = noise.degrees == 0 ? 0 : std::sqrt(squares / noise.degrees);
  return noise;
}

double root_mean_square(std::span<const double> differences) {
  if (differences.empty()) {
    return 0;
  }
  const double squares = std::inner_product(differences.begin(), differences.end(), differences.begin(), 0.0);
  return std::sqrt(squares / static_cast<double>(differences.size()));
}

NoiseInterval sigma_interval(double sigma, int degrees, double alpha) {
  ASSAY_CHECK(degrees >= 1 && alpha > 0 && alpha < 1);
  const auto bound = [&](double probability) {
    return sigma * std::sqrt(degrees / chi_squared_quantile(probability, degrees));
  };
  return {bound(1 - alpha / 2), bound(alpha / 2)};
}

double difference_band(double sigma) { return kTwoSided95 * std::numbers::sqrt2 * sigma; }

}  // namespace assay::stats
