#include <assay/stats/self_comparison.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include <assay/base/error.hpp>
#include <assay/stats/symmetric_evidence.hpp>

namespace assay::stats {

SelfComparison judge_self_comparison(std::vector<double> log_ratios, double alpha, double minimum_effect) {
  ASSAY_CHECK(alpha > 0 && alpha < 1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double effect = -std::log1p(-minimum_effect);
  SelfComparison self;
  self.pair_log_ratios = std::move(log_ratios);
  const std::span<const double> ratios = self.pair_log_ratios;
  if (ratios.size() < 2) {
    self.interval = {ratios.empty() ? 0 : ratios.front(), -kInfinity, kInfinity};
    self.noise_floor = kInfinity;
    return self;
  }
  for (std::size_t pairs = 1; pairs <= ratios.size(); ++pairs) {
    const double below = log_evidence_below(ratios.first(pairs), -effect);
    const double above = log_evidence_above(ratios.first(pairs), effect);
    const double larger = std::max(below, above);
    self.log_evidence =
        std::isfinite(larger) ? larger + std::log((std::exp(below - larger) + std::exp(above - larger)) / 2) : larger;
    self.biased = self.biased || self.log_evidence >= -std::log(alpha);
  }
  self.interval = t_interval(ratios, alpha);
  self.noise_floor = std::max(std::abs(self.interval.lower), std::abs(self.interval.upper));
  self.failed = self.biased || self.interval.upper < -effect || self.interval.lower > effect;
  return self;
}

SelfComparison compare_with_itself(std::span<const PairedSample> samples, int pairs, int workloads, double alpha,
                                   double minimum_effect) {
  const PairedTable table = tabulate(samples, pairs, workloads);
  std::vector<double> ratios;
  std::copy_if(table.pair_log_ratios.begin(), table.pair_log_ratios.end(), std::back_inserter(ratios),
               [](double ratio) { return !std::isnan(ratio); });
  return judge_self_comparison(std::move(ratios), alpha, minimum_effect);
}

Standing standing_of(const PairedComparison& comparison, const SelfComparison& self) {
  if (self.failed) {
    return Standing::void_session;
  }
  const bool gains = comparison.conclusion == PairedConclusion::better;
  return gains && -comparison.decision.interval.mean <= self.noise_floor ? Standing::inside_noise
                                                                         : Standing::above_noise;
}

void withdraw_unless_above_noise(PairedComparison& comparison, const SelfComparison& self) {
  if (standing_of(comparison, self) != Standing::above_noise) {
    comparison.conclusion = PairedConclusion::undecided;
  }
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
