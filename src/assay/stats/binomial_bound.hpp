#pragma once

#include <cstdint>

namespace assay::stats {

/// Bounds for the rate of an event that was seen `failures` times in `trials` independent trials with one and
/// the same rate (Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of
/// the binomial", 1934). Exact: the coverage is at least what is stated, for every rate. Trials of mixed
/// kinds bound the rate of the mixture only. trials > 0, 0 <= failures <= trials, confidence in (0, 1).

/// Returns the rate that is not exceeded with one-sided `confidence`. With no failure this is
/// 1 - (1 - confidence)^(1 / trials), about 3 / trials at 95 %.
[[nodiscard]] double failure_rate_upper_bound(std::int64_t failures, std::int64_t trials, double confidence);

struct RateInterval {
  double lower = 0;
  double upper = 1;
};

/// Returns the central two-sided interval: each end errs with at most (1 - confidence) / 2.
[[nodiscard]] RateInterval failure_rate_interval(std::int64_t failures, std::int64_t trials, double confidence);

/// Returns how many trials without a failure bound the rate by `rate` in (0, 1) with one-sided `confidence`.
[[nodiscard]] std::int64_t trials_for_bound(double rate, double confidence);

}  // namespace assay::stats
