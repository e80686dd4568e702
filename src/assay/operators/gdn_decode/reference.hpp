#pragma once

#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::gdn_decode {

/// Computes output and new_state in double precision from the quantised inputs. For each batch entry and
/// value head, with q and k of head h / 2:
///   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
///   S' = g S + beta (v - g S k) k^T,               o = scale * S' q
/// S has the value dimension in rows and the key dimension in columns. A scale of 0 means 1 / sqrt(128).
/// Arguments that do not fit the definition are internal errors: the caller checked the workload.
[[nodiscard]] base::Result<void> compute_reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                                   std::vector<ExpectedValues>& outputs);

}  // namespace assay::operators::gdn_decode
