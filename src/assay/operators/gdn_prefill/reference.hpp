#pragma once

#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::gdn_prefill {

/// Computes output and new_state in double precision from the quantised inputs. For each sequence and value head, with
/// q and k of the head that it shares, and S = 0 or the given state before the first token, for each token in turn:
///   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
///   S <- g S;  S <- S + beta (v - S k) k^T;        o = scale * S q
/// S has the value dimension in rows and the key dimension in columns. A scale of 0 means 1 / sqrt(head_size). A
/// sequence without tokens leaves zeros, whatever state it was given.
/// Behind the two outputs it leaves what `compare_with_errors` needs (see Kept and error_size.hpp).
/// Arguments that do not fit the definition are internal errors: the caller checked the workload.
[[nodiscard]] base::Result<void> compute_reference(const Dimensions& dimensions, const task::AxisValues& axes,
                                                   std::span<const ConstArgument> inputs,
                                                   std::vector<ExpectedValues>& outputs);

}  // namespace assay::operators::gdn_prefill
