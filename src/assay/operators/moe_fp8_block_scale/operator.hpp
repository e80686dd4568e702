#pragma once

#include <span>

#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// The mixture-of-experts layer with fp8 block scales and DeepSeek-V3's routing: the contest's definition, then a small
/// sibling for trials by the thousand. docs/operators/moe_fp8_block_scale.md has the formula, the inputs and why the
/// tolerances are what they are.
[[nodiscard]] std::span<const Operator* const> instances();

}  // namespace assay::operators::moe_fp8_block_scale
