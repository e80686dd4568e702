#include <assay/stats/noise_floor.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace assay::stats {

NoiseFloor compare_with_itself(std::span<const PairedSample> samples, int pairs, int workloads, double alpha,
                               double minimum_effect) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  NoiseFloor self;
  const PairedTable table = tabulate(samples, pairs, workloads);
  std::copy_if(table.pair_log_ratios.begin(), table.pair_log_ratios.end(), std::back_inserter(self.pair_log_ratios),
               [](double ratio) { return !std::isnan(ratio); });
  if (self.pair_log_ratios.size() < 2) {
    self.interval = {self.pair_log_ratios.empty() ? 0 : self.pair_log_ratios.front(), -kInfinity, kInfinity};
    self.noise_floor = kInfinity;
    return self;
  }
  self.interval = t_interval(self.pair_log_ratios, alpha);
  self.noise_floor = std::max(std::abs(self.interval.lower), std::abs(self.interval.upper));
  const double effect = -std::log1p(-minimum_effect);
  self.failed = self.interval.upper < -effect || self.interval.lower > effect;
  return self;
}

Standing standing_of(const PairedComparison& comparison, const NoiseFloor& self) {
  if (self.failed) {
    return Standing::void_session;
  }
  const bool gains = comparison.conclusion == PairedConclusion::better;
  return gains && -comparison.decision.interval.mean <= self.noise_floor ? Standing::inside_noise
                                                                         : Standing::above_noise;
}

void withdraw_unless_above_noise(PairedComparison& comparison, const NoiseFloor& self) {
  if (standing_of(comparison, self) != Standing::above_noise) {
    comparison.conclusion = PairedConclusion::undecided;
  }
}

}  // namespace assay::stats
