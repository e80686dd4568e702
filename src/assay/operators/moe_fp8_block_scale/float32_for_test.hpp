#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// Test only: how an honest kernel that accumulates in float32 may differ from another one.
struct Style {
  enum class Sums : std::uint8_t {
    promoted,     ///< Unscaled fp8 products are summed over a block, then scaled and added: what tensor cores do.
    dequantised,  ///< Values are scaled first, and summed in 16 strands.
    one_strand,   ///< Values are scaled first, and summed one after the other.
  } sums = Sums::promoted;
  bool bfloat16_gates = false;         ///< W1 x is stored in bfloat16.
  bool bfloat16_intermediate = false;  ///< C is stored in bfloat16.
  bool float8_intermediate = false;    ///< C is stored in e4m3fn, with a scale for each 128 elements.
  bool bfloat16_experts = false;       ///< Each expert's output is stored in bfloat16 before it is weighted.
  bool weighted_intermediate = false;  ///< The weight is multiplied into C instead of into the output.
  bool base_two = false;               ///< exp2 of a scaled argument in place of exp.
  bool highest_index_first = false;    ///< Of equal scores the later one is taken.
  bool experts_backwards = false;      ///< Adds the last expert first.
};

/// Test only: kernels as people write them, by name.
struct NamedStyle {
  std::string_view name;
  Style style;
};
[[nodiscard]] const std::vector<NamedStyle>& honest_styles();

/// Test only: what a kernel may get wrong.
enum class Mistake : std::uint8_t {
  none,
  zeros,
  gate_is_first_half,
  silu_without_x,  ///< sigmoid(g) u
  relu_for_silu,
  biased_weights,       ///< Weights from sigmoid + bias.
  local_normalisation,  ///< Divides by the sum over local experts.
  no_factor,
  no_bias,
  group_by_largest,  ///< The largest score of a group in place of the sum of two.
  masked_with_zero,  ///< Experts of dropped groups keep the score 0.
  no_groups,         ///< The best experts of all groups.
  one_expert_fewer,
  offset_ignored,
  threshold_selection,  ///< All experts that are not below the last selected one.
  half_precision_scores,
  transposed_hidden_scale,  ///< Read as [tokens, blocks].
  next_scale_block,         ///< W1's scale of the next block of columns.
  transposed_weight_scale,  ///< W1's scales read as [columns, rows].
  gemm2_row_scale,          ///< W2's scale of the row block before.
  no_hidden_scale,
  last_block_dropped,  ///< The last 128 columns of W1 x.
  last_block_of_gemm2_dropped,
  first_element_dropped_of_each_block,
  bfloat16_accumulation,
  bfloat16_accumulation_of_gemm2,
  float8_two_bits,  ///< C re-quantised to e5m2, with a scale for each 128 elements.
  float8_twice,     ///< Both W1 x and C re-quantised to e4m3fn.
  float8_output,
  last_expert_skipped,
  contribution_twice,  ///< One token's first expert is added again.
  stale_zero_rows,     ///< Tokens without a local expert are not written.
  tenth_token_dropped,
  last_token_dropped,
  next_token_weights,
  unweighted,
};

/// Test only: computes the output of a trial in float32.
void run_float32(const Dimensions& dimensions, OperatorTrial& trial, const Style& style,
                 Mistake mistake = Mistake::none);

}  // namespace assay::operators::moe_fp8_block_scale
