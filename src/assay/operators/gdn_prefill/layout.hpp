#pragma once

#include <cstddef>

namespace assay::operators::gdn_prefill {

/// Constant axes of a definition.
struct Dimensions {
  std::size_t query_heads = 0;  ///< As many key heads.
  std::size_t value_heads = 0;  ///< A multiple of query_heads; neighbours share a query and key head.
  std::size_t head_size = 0;    ///< A multiple of 8.

  /// Elements of one head's state: head_size rows of the value dimension, each with head_size contiguous keys.
  [[nodiscard]] std::size_t state_size() const { return head_size * head_size; }
  [[nodiscard]] std::size_t query_head_of(std::size_t value_head) const {
    return value_head / (value_heads / query_heads);
  }
  /// Bytes of arguments, inputs and outputs, that one token and one sequence add.
  [[nodiscard]] std::size_t token_bytes() const {
    return 2 * (2 * query_heads * head_size + 2 * value_heads * head_size + 2 * value_heads);
  }
  [[nodiscard]] std::size_t sequence_bytes() const { return 2 * value_heads * state_size() * 4 + 8; }
};

/// gdn_prefill_qk4_v8_d128_k_last, and a sibling for trials by the thousand.
inline constexpr Dimensions kContestDimensions{4, 8, 128};
inline constexpr Dimensions kSmallDimensions{2, 4, 16};

/// Positions of the arguments in calling order.
enum Input : std::size_t { kQ, kK, kV, kState, kALog, kA, kDtBias, kB, kCuSeqlens, kScale, kInputCount };
enum Output : std::size_t { kOutput, kNewState, kOutputCount };
/// What the reference keeps behind the outputs for the comparison: the size of an honest kernel's error of each element
/// of `output`, and of the norm of each row of `new_state`.
enum Kept : std::size_t { kOutputError = kOutputCount, kStateError, kKeptCount };

}  // namespace assay::operators::gdn_prefill
