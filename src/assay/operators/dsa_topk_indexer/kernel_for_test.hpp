#pragma once

#include <cstdint>

#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Test only: how one honest kernel may differ from another.
struct Style {
  /// How a dot product is added up.
  enum class Sum : std::uint8_t {
    one_strand,   ///< A plain loop in float32.
    eight_fused,  ///< Eight partial sums with fused multiply-add.
    tensor_core,  ///< As the fp8 tensor cores of Hopper: see kernel_for_test.cpp.
  } sum = Sum::one_strand;
  bool scales_key = false;        ///< Multiplies the key by its scale, not the score.
  bool flushes_denormal = false;  ///< As -use_fast_math: denormal products are zero.
  enum class Select : std::uint8_t { sort, partition, radix, half_bins } select = Select::sort;
  enum class Order : std::uint8_t { as_chosen, ascending, padding_first } order = Order::as_chosen;
};

/// Test only: what a kernel may get wrong.
enum class Mistake : std::uint8_t {
  none,
  // Addresses.
  interleaved_page,   ///< Takes a page for 64 times 128 bytes of key and 4 of scale.
  next_token_scale,   ///< The scale of the next token of the page.
  first_token_scale,  ///< One scale for the page.
  next_page,          ///< The page behind that which the table names.
  first_row_query,    ///< Every row with the query of row 0.
  positions_for_ids,  ///< Writes positions in the row.
  // The formula.
  no_scale,
  no_relu,
  no_weights,
  absolute_weights,
  swapped_heads,  ///< The weights of heads 0 and 1.
  last_head_missing,
  half_of_the_key,  ///< Leaves out the second half of the dimensions.
  // Lengths.
  whole_table,  ///< Takes the table's width for the length.
  last_token_missing,
  partial_page_missing,
  unwritten_padding,
  zero_padding,  ///< 0 where -1 belongs.
  // Selection.
  first_tokens,         ///< The first topk tokens.
  lowest,               ///< The lowest scores.
  negative_as_zero,     ///< Takes negative scores for 0.
  one_long_row,         ///< Scores the first long row only.
  small_buffer,         ///< Looks at the first 2 topk tokens only.
  ties_in_order,        ///< Takes what reaches the threshold in the order of positions until there are topk.
  ties_left_out,        ///< Takes what is above the threshold only.
  guessed_threshold,    ///< A threshold from the first quarter of the row, filled up with whatever comes first.
  short_key,            ///< Compares the first 16 bits of float32.
  half_bins_of_8_bits,  ///< select_by_half_bins with kWithoutTopByte.
  half_bins_of_11_bits,
  half_bins_of_16_bits,
  // Precision.
  bfloat16_dot,
  bfloat16_score,
  float16_score,
  float16_dot,
};

/// Test only: computes the output of a trial in float32.
void run_kernel(OperatorTrial& trial, const Dimensions& dimensions, const Style& style,
                Mistake mistake = Mistake::none);

/// Test only: the scores of a row as such a kernel has them.
[[nodiscard]] std::vector<float> kernel_scores(OperatorTrial& trial, const Dimensions& dimensions, std::size_t row,
                                               const Style& style, Mistake mistake = Mistake::none);

}  // namespace assay::operators::dsa_topk_indexer
