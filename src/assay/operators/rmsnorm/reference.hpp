#pragma once

#include <span>
#include <vector>

#include <assay/operators/operator.hpp>
#include <assay/operators/rmsnorm/layout.hpp>

namespace assay::operators::rmsnorm {

/// For each row x = hidden_states (+ residual): output = x / sqrt(mean(x^2) + epsilon) * weight, in double precision.
[[nodiscard]] base::Result<void> compute_reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                                   const Variant& variant, tensor::DType dtype,
                                                   std::vector<ExpectedValues>& outputs);

}  // namespace assay::operators::rmsnorm
