#pragma once

#include <cstddef>
#include <cstdint>

#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>

namespace assay::operators::cuda {

/// Tokens that the MoE reference works on at a time: enough for tiles to be full, and a bound of the scratch.
inline constexpr std::size_t kMoeTokensAtATime = 4096;

/// Where the parts of the scratch begin, for `tokens` at a time; a slot is a token and one of its experts.
struct MoeScratch {
  std::size_t local_experts = 0;  ///< int32 [slots]
  std::size_t weights = 0;        ///< double [slots]
  std::size_t rows = 0;           ///< int32 [local experts, tokens]
  std::size_t counts = 0;         ///< int32 [local experts]
  std::size_t gated = 0;          ///< double [slots, intermediate]
  std::size_t result = 0;         ///< double [slots, hidden]
  std::size_t size = 0;
};

[[nodiscard]] inline MoeScratch lay_out_moe_scratch(const moe_fp8_block_scale::Dimensions& d, std::size_t tokens) {
  constexpr std::size_t kAlignment = 256;
  const std::size_t slots = tokens * d.top_k;
  MoeScratch scratch;
  const auto place = [&](std::size_t bytes) {
    const std::size_t begin = scratch.size;
    scratch.size += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return begin;
  };
  scratch.local_experts = place(slots * sizeof(std::int32_t));
  scratch.weights = place(slots * sizeof(double));
  scratch.rows = place(d.local_experts * tokens * sizeof(std::int32_t));
  scratch.counts = place(d.local_experts * sizeof(std::int32_t));
  scratch.gated = place(slots * d.intermediate * sizeof(double));
  scratch.result = place(slots * d.hidden * sizeof(double));
  return scratch;
}

}  // namespace assay::operators::cuda
