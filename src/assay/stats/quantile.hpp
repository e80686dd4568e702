#pragma once

#include <span>

namespace assay::stats {

/// Location and spread of samples. None of these may be empty, and none may hold a NaN (which has no place in
/// an order): both are bugs of the caller and abort.

/// Returns the arithmetic mean. Values that are all the same give exactly that value.
[[nodiscard]] double mean(std::span<const double> values);

/// Returns the standard error of the mean of at least 2 values: s / sqrt(n), s with the divisor n - 1.
/// Exactly 0 for values that are all the same.
[[nodiscard]] double standard_error(std::span<const double> values);

/// Returns the value at rank (n - 1) * probability of the sorted values, interpolated linearly between
/// neighbours (definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", 1996).
/// `probability` lies in [0, 1].
[[nodiscard]] double quantile(std::span<const double> values, double probability);

/// Returns quantile(values, 0.5): the middle value, or the mean of the two middle ones.
[[nodiscard]] double median(std::span<const double> values);

}  // namespace assay::stats
