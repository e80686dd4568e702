#pragma once

#include <memory>

#include <assay/operators/operator.hpp>

namespace assay::operators::gemm {

/// Returns the operator C = A B^T for a definition of op_type "gemm" that has its structure (A [M, K], B [N, K],
/// C [M, N], all float16 or all bfloat16, any constants) and whose reference says no more than the product; else
/// nullptr. docs/operators/gemm.md has the inputs and why the tolerance is what it is.
[[nodiscard]] std::shared_ptr<const Operator> recognise(const task::Definition& definition);

}  // namespace assay::operators::gemm
