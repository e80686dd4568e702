#pragma once

#include <array>
#include <cstdint>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_sparse_attention/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_sparse_attention {

/// Kinds of stress, in an order that never changes. Their inputs are hard where kernels go wrong, not where float32 does:
/// an honest kernel, whatever the order of its sums, keeps the same tolerances in each.
inline constexpr std::array<StressKind, 10> kStressKinds = {{
    {"padding_anywhere",
     "-1 in any slot, the first included, and rows of nothing else: the address clamped and the "
     "logit not masked, or a row that ends at its first -1"},
    {"row_lengths",
     "rows of 0, 1, 2 tokens, a page and topk, and one more or less: a last block dropped, an empty "
     "split that gives NaN, a result kept from the row before"},
    {"page_edges",
     "first and last tokens of pages, the first and the last page, indices beyond 32,767: a page or an "
     "offset off by one, a narrow index"},
    {"repeated_ids", "a few tokens named many times in any order, and rows with the same tokens: each naming counts"},
    {"peaked", "for each head a token of its own that outweighs all others, often the last"},
    {"near_equal",
     "logits almost equal over full rows: the output is a mean of many values, small beside the sums on "
     "the way to it"},
    {"large_logits",
     "logits of up to 10,000 of either sign, a few units apart: overflow without the maximum "
     "subtracted, a maximum that starts at 0, logits in half precision"},
    {"wide_range",
     "values from 2^-91 to 2^82 in rows of their own, with logits as usual: half-precision copies of "
     "the cache, a scale shared between rows"},
    {"zeros_and_denormals",
     "a query of zeros in each row, a key of zeros, negative zeros and denormals among the rest; a kernel may flush "
     "those"},
    {"mixed_blocks",
     "rows of blocks that are empty, easy, half empty or hold the largest logit so far: rescaling, "
     "empty splits and their weight"},
}};
enum Kind : std::size_t {
  kPaddingAnywhere,
  kRowLengths,
  kPageEdges,
  kRepeatedIds,
  kPeaked,
  kNearEqual,
  kLargeLogits,
  kWideRange,
  kZerosAndDenormals,
  kMixedBlocks
};

/// Shapes of 1 to 17 rows and of one page to enough that some index is beyond 16 bits, where the bytes allow it.
[[nodiscard]] StressTrial make_stress_trial(const Dimensions& dimensions, std::uint64_t seed, std::uint64_t index,
                                            std::uint64_t largest_bytes);

/// Fills sparse_indices for a kind.
void fill_stress_indices(std::size_t kind, const CallView& call, base::Philox& random);
/// Makes the contents hard that the generator filled with normals.
void make_hard(std::size_t kind, const CallView& call, double sm_scale, base::Philox& random);

}  // namespace assay::operators::dsa_sparse_attention
