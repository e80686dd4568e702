#pragma once

#include <optional>
#include <span>

#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// Holds each token's row to the rule by itself: the absolute part is a multiple of the row's own RMS, so that a row
/// of zeros must be zero. Where a token's scores allow several selections, its row may be that of any of them, built
/// from what the reference kept in expected[1]. The mismatch is the worst row's, and counts all; a row is as far off as
/// it is from the nearest that it may be.
[[nodiscard]] std::optional<tensor::Mismatch> compare_output(const Dimensions& dimensions,
                                                             std::span<const ConstArgument> inputs,
                                                             const tensor::ConstView& got,
                                                             std::span<const ExpectedValues> expected,
                                                             const tensor::ComparisonRule& rule);

}  // namespace assay::operators::moe_fp8_block_scale
