#pragma once

#include <cstddef>

namespace assay::operators::rmsnorm {

/// What decides how a definition of the family is computed.
struct Variant {
  bool adds_residual = false;  ///< fused_add_rmsnorm: hidden_states, residual, weight; else hidden_states, weight.
  double epsilon = 0;
  [[nodiscard]] std::size_t inputs() const { return adds_residual ? 3 : 2; }
  [[nodiscard]] std::size_t weight() const { return inputs() - 1; }
};

enum Input : std::size_t { kHiddenStates, kResidual };

}  // namespace assay::operators::rmsnorm
