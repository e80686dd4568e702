#pragma once

#include <span>

#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_topk_indexer {

/// The top-k indexer of sparse attention over a paged fp8 key cache: the contest's definition
/// dsa_topk_indexer_fp8_h64_d128_topk2048_ps64, and behind it the small sibling
/// dsa_topk_indexer_fp8_h8_d32_topk64_ps16. docs/operators/dsa_topk_indexer.md has the formula, the inputs and what
/// counts as the same answer.
[[nodiscard]] std::span<const Operator* const> instances();

}  // namespace assay::operators::dsa_topk_indexer
