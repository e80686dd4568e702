#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/operators/dsa_sparse_attention/layout.hpp>
#include <assay/operators/dsa_sparse_attention/operator.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::dsa_sparse_attention {

/// Test only: returns a workload of either definition as the dataset has them.
inline task::Workload make_workload(const Dimensions& dimensions, std::int64_t rows, std::int64_t pages,
                                    std::string uuid, std::vector<std::int64_t> lengths = {}) {
  task::Workload workload;
  workload.uuid = std::move(uuid);
  workload.axes = {{"num_tokens", rows}, {"num_pages", pages}};
  workload.inputs = {{"sm_scale", task::ScalarInput{dimensions.sm_scale}}};
  workload.lengths = std::move(lengths);
  return workload;
}

[[nodiscard]] inline const Operator& operator_of(const Dimensions& dimensions) {
  return dimensions.topk == kContest.topk ? contest_instance() : small_instance();
}

/// Test only: how an honest kernel with float32 sums may differ from another one.
struct Style {
  std::string_view name;
  std::size_t block = 64;   ///< Slots between two updates of the maximum; 0: all of a split, which makes it two passes.
  std::size_t splits = 1;   ///< Parts of a row that are computed apart and combined.
  bool strided = false;     ///< Split i takes slots i, i + splits, …
  bool base_two = false;    ///< 2^(x log2 e) in place of e^x.
  std::size_t strands = 1;  ///< Partial sums of a dot product.
  bool bfloat16_weights = false;  ///< e^(l - m) rounded to bfloat16 before it multiplies a value, as tensor cores need.
  bool tensor_core = false;       ///< Sums 16 products at a time, and cuts the sum off where float32 ends.
  bool bfloat16_sum = false;      ///< The sum of weights, too, is that of the rounded ones. (No honest style.)
};
[[nodiscard]] std::span<const Style> honest_styles();

/// Test only: what a kernel may get wrong.
enum class Mistake : std::uint8_t {
  none,
  zeros,
  natural_lse,          ///< lse in base e.
  lse_without_maximum,  ///< log2 of the sum alone.
  stale_lse,            ///< lse of the row before.
  bfloat16_lse,         ///< lse rounded to bfloat16.
  float16_lse,          ///< lse rounded to float16.
  lse_of_rounded,       ///< lse from the sum of weights that were rounded to bfloat16.
  maximum_from_zero,    ///< The running maximum starts at 0.
  no_maximum,           ///< e^l without the maximum subtracted.
  no_rescaling,         ///< The sums are not rescaled when the maximum rises.
  padding_reads_first,  ///< -1 is clamped to token 0 and not masked.
  padding_reads_last,   ///< -1 wraps to the last token.
  stops_at_padding,     ///< The row ends at its first -1.
  duplicates_once,      ///< A token named twice counts once.
  next_page,            ///< Page one too far (modulo the pages).
  next_offset,          ///< Token one too far within its page.
  wrong_page_stride,    ///< Pages one token too long.
  int16_index,          ///< The index cut to 16 bits.
  no_q_pe,              ///< The part with the position is left out.
  no_scale,
  scale_twice,
  scale_on_nope_only,
  bfloat16_scaled_query,  ///< The factor is multiplied into a bfloat16 query.
  bfloat16_logits,
  float16_logits,
  bfloat16_accumulator,  ///< The output is accumulated in bfloat16.
  float16_cache,         ///< ckv and kpe converted to float16.
  float8_values,         ///< Values rounded to e4m3.
  values_shifted,        ///< Values from the key of 576, begun one part too late: kpe in place of the last of ckv.
  head_swapped,          ///< Heads 2i and 2i + 1 swap outputs.
  query_of_head_zero,
  row_of_neighbour,  ///< sparse_indices of the next row.
  last_block_dropped,
  last_token_dropped,
  empty_split_is_nan,      ///< An empty split has e^(-inf - -inf) as its weight.
  empty_split_weighs_one,  ///< An empty split adds 1 to the sum of weights.
  empty_row_unwritten,
  empty_row_lse_zero,
  splits_weigh_alike,   ///< Splits are averaged without their weights.
  base_two_of_natural,  ///< 2^x of logits that were not multiplied by log2 e.
};
inline constexpr std::size_t kMistakes = static_cast<std::size_t>(Mistake::base_two_of_natural) + 1;
/// In the order of Mistake.
inline constexpr std::array<std::string_view, kMistakes> kMistakeNames = {"none",
                                                                          "zeros",
                                                                          "natural_lse",
                                                                          "lse_without_maximum",
                                                                          "stale_lse",
                                                                          "bfloat16_lse",
                                                                          "float16_lse",
                                                                          "lse_of_rounded",
                                                                          "maximum_from_zero",
                                                                          "no_maximum",
                                                                          "no_rescaling",
                                                                          "padding_reads_first",
                                                                          "padding_reads_last",
                                                                          "stops_at_padding",
                                                                          "duplicates_once",
                                                                          "next_page",
                                                                          "next_offset",
                                                                          "wrong_page_stride",
                                                                          "int16_index",
                                                                          "no_q_pe",
                                                                          "no_scale",
                                                                          "scale_twice",
                                                                          "scale_on_nope_only",
                                                                          "bfloat16_scaled_query",
                                                                          "bfloat16_logits",
                                                                          "float16_logits",
                                                                          "bfloat16_accumulator",
                                                                          "float16_cache",
                                                                          "float8_values",
                                                                          "values_shifted",
                                                                          "head_swapped",
                                                                          "query_of_head_zero",
                                                                          "row_of_neighbour",
                                                                          "last_block_dropped",
                                                                          "last_token_dropped",
                                                                          "empty_split_is_nan",
                                                                          "empty_split_weighs_one",
                                                                          "empty_row_unwritten",
                                                                          "empty_row_lse_zero",
                                                                          "splits_weigh_alike",
                                                                          "base_two_of_natural"};
[[nodiscard]] inline std::string_view to_string(Mistake mistake) {
  return kMistakeNames[static_cast<std::size_t>(mistake)];
}

/// Test only: computes both outputs of a trial in float32.
void run_float32(const Dimensions& dimensions, OperatorTrial& trial, const Style& style,
                 Mistake mistake = Mistake::none);

}  // namespace assay::operators::dsa_sparse_attention
