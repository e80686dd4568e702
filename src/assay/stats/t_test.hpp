#pragma once

#include <span>

namespace assay::stats {

/// Returns the one-sided p-value of Student's t test (Student, 1908) for the hypothesis "the mean is at most
/// `bound`": small values are evidence that the mean lies above it. Assumes independent and nearly normal
/// values, at least 2. Without any spread the mean is taken as known: the p-value is 0 above the bound and 1
/// at or below it. A value that is not finite gives 1: it is evidence of nothing.
[[nodiscard]] double p_value_mean_above(std::span<const double> values, double bound);

}  // namespace assay::stats
