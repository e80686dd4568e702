#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace assay::stats {

struct BootstrapPlan {
  int replicates = 2000;
  double alpha = 0.05;     ///< Two-sided.
  std::uint64_t seed = 0;  ///< The same seed and input give the same interval, on every machine.
};

struct BootstrapInterval {
  double estimate = 0;  ///< The statistic of the units as they are.
  double lower = 0;
  double upper = 0;
};

/// Computes a statistic from the indices of the units that a resample holds (with repeats). Must not return a
/// NaN.
using UnitStatistic = std::function<double(std::span<const std::size_t> units)>;

/// Returns the percentile bootstrap interval (Efron, "Bootstrap methods: another look at the jackknife",
/// 1979) over `unit_count` > 0 units, drawn with replacement. Assumes that the units are independent and
/// alike: pass process pairs or sessions, never the calls inside one, which share its placement. Below about
/// 10 units it is too narrow; use t_interval there.
[[nodiscard]] BootstrapInterval bootstrap_interval(std::size_t unit_count, const UnitStatistic& statistic,
                                                   const BootstrapPlan& plan);

/// Does the same for the mean of values, one a unit.
[[nodiscard]] BootstrapInterval bootstrap_mean(std::span<const double> values, const BootstrapPlan& plan);

}  // namespace assay::stats
