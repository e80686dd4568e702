#pragma once

#include <memory>

#include <assay/operators/operator.hpp>

namespace assay::operators::rmsnorm {

/// Returns the operator for a definition of op_type "rmsnorm" that has the structure of rmsnorm (hidden_states
/// [batch_size, hidden_size], weight [hidden_size]) or of fused_add_rmsnorm (with residual, like hidden_states), all
/// float16 or all bfloat16, any size, and whose reference is the formula with a constant EPS, which is taken from it;
/// else nullptr. docs/operators/rmsnorm.md has the formula, the inputs and why the tolerance is what it is.
[[nodiscard]] std::shared_ptr<const Operator> recognise(const task::Definition& definition);

}  // namespace assay::operators::rmsnorm
