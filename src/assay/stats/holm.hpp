#pragma once

#include <span>
#include <vector>

namespace assay::stats {

/// Returns Holm's adjusted p-values, in the order of the given ones (Holm, "A simple sequentially rejective
/// multiple test procedure", 1979): the smallest is multiplied by m, the next by m - 1, and so on, made
/// monotone and capped at
/// 1. Rejecting where the adjusted value is at most alpha keeps the chance of any false rejection at most
/// alpha, whatever the dependence between the tests. Each p-value lies in [0, 1].
[[nodiscard]] std::vector<double> holm_adjusted(std::span<const double> p_values);

/// Returns which hypotheses Holm's step-down procedure rejects at family-wise error `alpha` in (0, 1).
[[nodiscard]] std::vector<bool> holm_rejections(std::span<const double> p_values, double alpha);

}  // namespace assay::stats
