#include <assay/stats/holm.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <assay/base/error.hpp>

namespace assay::stats {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  ASSAY_CHECK(std::all_of(p_values.begin(), p_values.end(), [](double p) { return p >= 0 && p <= 1; }));
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [p_values](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t step = 0; step < order.size(); ++step) {
    const auto remaining = static_cast<double>(order.size() - step);
    largest = std::max(largest, std::min(1.0, remaining * p_values[order[step]]));
    adjusted[order[step]] = largest;
  }
  return adjusted;
}

std::vector<bool> holm_rejections(std::span<const double> p_values, double alpha) {
  ASSAY_CHECK(alpha > 0 && alpha < 1);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  std::vector<bool> rejected(adjusted.size());
  std::transform(adjusted.begin(), adjusted.end(), rejected.begin(), [alpha](double p) { return p <= alpha; });
  return rejected;
}

}  // namespace assay::stats
