#include <assay/stats/self_comparison.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/stats/quantile.hpp>
#include <assay/stats/symmetric_evidence.hpp>

namespace assay::stats {
namespace {

constexpr double kNormalMedianMagnitude = 0.6744897501960817;

// The smallest rank r (from 1) so that the r-th of n sorted magnitudes lies at or above their true median with probability
// 1 - alpha: P(Binomial(n, 1/2) >= r) <= alpha. n + 1 if there is none.
std::size_t upper_rank_of_median(std::size_t count, double alpha) {
  double tail = 0;
  const auto n = static_cast<double>(count);
  std::size_t rank = count + 1;
  while (rank > 1) {
    const auto k = static_cast<double>(rank - 1);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.0));
    if (tail > alpha) {
      break;
    }
    --rank;
  }
  return rank;
}

}  // namespace

SelfComparison judge_self_comparison(std::span<const double> log_ratios, double alpha) {
  ASSAY_CHECK(alpha > 0 && alpha < 1);
  SelfComparison result;
  result.spread_upper = std::numeric_limits<double>::infinity();
  if (log_ratios.empty()) {
    return result;
  }
  std::vector<double> magnitudes(log_ratios.size());
  std::transform(log_ratios.begin(), log_ratios.end(), magnitudes.begin(), [](double x) { return std::abs(x); });
  std::sort(magnitudes.begin(), magnitudes.end());
  result.spread = median(magnitudes) / kNormalMedianMagnitude;
  const std::size_t rank = upper_rank_of_median(magnitudes.size(), alpha);
  if (rank <= magnitudes.size()) {
    result.spread_upper = magnitudes[rank - 1] / kNormalMedianMagnitude;
  }
  for (std::size_t pairs = 1; pairs <= log_ratios.size(); ++pairs) {
    const double below = log_evidence_below(log_ratios.first(pairs), 0);
    const double above = log_evidence_above(log_ratios.first(pairs), 0);
    const double larger = std::max(below, above);
    result.log_evidence = larger + std::log((std::exp(below - larger) + std::exp(above - larger)) / 2);
    result.biased = result.biased || result.log_evidence >= -std::log(alpha);
  }
  return result;
}

int pairs_to_find(double beyond, double spread, double alpha) {
  ASSAY_CHECK(beyond > 0 && spread > 0);
  ASSAY_CHECK(alpha > 0 && alpha < 1);
  constexpr double kNormal95 = 1.6448536269514722;
  constexpr double kCostOfMixture = 0.8047189562170503;  // log(5) / 2
  const double needed = std::log(2 / alpha) + kCostOfMixture;
  const double root = kNormal95 + std::sqrt(kNormal95 * kNormal95 + 2 * needed);
  const double drift = root * spread / beyond;
  const double pairs = std::ceil(drift * drift);
  ASSAY_CHECK(pairs < 1e9);
  return std::max(static_cast<int>(pairs), least_values_for_evidence(alpha));
}

}  // namespace assay::stats
