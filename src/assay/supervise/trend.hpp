#pragma once

#include <vector>

namespace assay::supervise {

/// Returns the probability that values in random order fall at least as consistently as these do: the one-sided exact test of
/// Mann ("Nonparametric tests against trend", 1945) and Kendall on the number of pairs whose later value is lower. Small
/// for values that fall. Assumes that without a trend every order is as likely as any other; pairs of equal values count as
/// rising, which makes the test slower to speak. 1 for fewer than two values. For at most 64 values.
[[nodiscard]] double decline_probability(const std::vector<double>& values);

}  // namespace assay::supervise
