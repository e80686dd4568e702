#include <assay/stats/weight_tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <assay/base/error.hpp>

namespace assay::stats {

WeightTolerance weight_tolerance(std::span<const double> effects, std::span<const double> weights) {
  ASSAY_CHECK(effects.size() == weights.size() && !effects.empty());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double gain = 0;
  double loss = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    ASSAY_CHECK(std::isfinite(effects[i]) && weights[i] > 0);
    (effects[i] < 0 ? gain : loss) += std::abs(effects[i]) * weights[i] / total;
  }
  if (gain <= loss) {
    return {0, 1};
  }
  const double worst = *std::max_element(effects.begin(), effects.end());
  if (worst <= 0) {
    return {};
  }
  std::vector<std::size_t> order(effects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return effects[a] < effects[b]; });
  double missing = gain - loss;
  double moved = 0;
  for (const std::size_t i : order) {
    const double share = weights[i] / total;
    const double worth = worst - effects[i];
    if (share * worth >= missing) {
      moved += missing / worth;
      break;
    }
    moved += share;
    missing -= share * worth;
  }
  return {moved, std::sqrt(gain / loss)};
}

}  // namespace assay::stats
