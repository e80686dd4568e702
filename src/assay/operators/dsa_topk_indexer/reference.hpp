#pragma once

#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Chooses for each row the min(topk, seq_len) reachable tokens of the highest score, in double precision, by sorting
/// all of them: the highest first, those of equal score by their position, a NaN before everything, as torch.topk has
/// it. Rows of at most topk tokens need no scores and keep their order. What is not chosen is -1, at the end. Behind
/// the ids `outputs` gets the scores and slacks of long rows (layout.hpp), some 16 bytes for each of their tokens.
[[nodiscard]] base::Result<void> compute_reference(const Dimensions& dimensions, const task::AxisValues& axes,
                                                   std::span<const ConstArgument> inputs,
                                                   std::vector<ExpectedValues>& outputs);

}  // namespace assay::operators::dsa_topk_indexer
