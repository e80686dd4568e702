#pragma once

#include <cmath>

namespace assay::operators {

/// The gates of the gated delta rule: g = exp(-exp(A_log) * softplus(a + dt_bias)), beta = sigmoid(b).

/// log(1 + e^x); beyond 20 the two differ by less than 3e-9, and the definitions return x itself.
[[nodiscard]] inline double softplus(double x) { return x > 20.0 ? x : std::log1p(std::exp(x)); }

[[nodiscard]] inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// g: what a head keeps of its state.
[[nodiscard]] inline double decay(double a_log, double a, double dt_bias) {
  return std::exp(-std::exp(a_log) * softplus(a + dt_bias));
}

}  // namespace assay::operators
