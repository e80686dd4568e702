#pragma once

#include <span>
#include <vector>

#include <assay/operators/operator.hpp>

namespace assay::operators::gemm {

/// C[m, n] = sum over k of A[m, k] B[n, k], in double precision, k from first to last; then the Euclidean norms of the
/// rows of A (M values) and of B (N values). Products of two 16-bit numbers are exact in double. What rounds to an
/// infinity of the output's type is an infinity.
[[nodiscard]] base::Result<void> compute_reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                                   tensor::DType dtype, std::vector<ExpectedValues>& outputs);

}  // namespace assay::operators::gemm
