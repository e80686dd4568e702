#include <assay/stats/bootstrap.hpp>

#include <numeric>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::stats {

BootstrapInterval bootstrap_interval(std::size_t unit_count, const UnitStatistic& statistic,
                                     const BootstrapPlan& plan) {
  ASSAY_CHECK(unit_count > 0);
  ASSAY_CHECK(plan.replicates > 0);
  ASSAY_CHECK(plan.alpha > 0 && plan.alpha < 1);
  std::vector<std::size_t> units(unit_count);
  std::iota(units.begin(), units.end(), std::size_t{0});
  BootstrapInterval interval;
  interval.estimate = statistic(units);
  base::Philox random(plan.seed, base::stream_id("stats.bootstrap"));
  std::vector<double> replicates(static_cast<std::size_t>(plan.replicates));
  for (double& replicate : replicates) {
    for (std::size_t& unit : units) {
      unit = static_cast<std::size_t>(random.next_below(unit_count));
    }
    replicate = statistic(units);
  }
  interval.lower = quantile(replicates, plan.alpha / 2);
  interval.upper = quantile(replicates, 1 - plan.alpha / 2);
  return interval;
}

BootstrapInterval bootstrap_mean(std::span<const double> values, const BootstrapPlan& plan) {
  const UnitStatistic mean_of_units = [values](std::span<const std::size_t> units) {
    double sum = 0;
    for (const std::size_t unit : units) {
      sum += values[unit];
    }
    return sum / static_cast<double>(units.size());
  };
  return bootstrap_interval(values.size(), mean_of_units, plan);
}

}  // namespace assay::stats
