#pragma once

#include <cstddef>
#include <string_view>

namespace assay::operators::moe_fp8_block_scale {

/// A scale covers this many consecutive elements of a row, and as many rows of weights.
inline constexpr std::size_t kBlock = 128;

/// Sizes of one definition. Those of routing that are no axes (groups, how many of them are kept, experts a token) are
/// part of its name.
struct Dimensions {
  std::string_view name;
  std::size_t experts = 0;        ///< Over all devices.
  std::size_t local_experts = 0;  ///< Whose weights are here.
  std::size_t hidden = 0;
  std::size_t intermediate = 0;
  std::size_t groups = 0;  ///< Of consecutive experts.
  std::size_t kept_groups = 0;
  std::size_t top_k = 0;

  [[nodiscard]] constexpr std::size_t group_size() const { return experts / groups; }
  [[nodiscard]] constexpr std::size_t gemm1_rows() const { return 2 * intermediate; }
  [[nodiscard]] constexpr std::size_t hidden_blocks() const { return hidden / kBlock; }
  [[nodiscard]] constexpr std::size_t intermediate_blocks() const { return intermediate / kBlock; }
  [[nodiscard]] constexpr std::size_t gemm1_blocks() const { return gemm1_rows() / kBlock; }
  /// Elements of one expert.
  [[nodiscard]] constexpr std::size_t gemm1_weights() const { return gemm1_rows() * hidden; }
  [[nodiscard]] constexpr std::size_t gemm2_weights() const { return hidden * intermediate; }
  [[nodiscard]] constexpr std::size_t gemm1_scales() const { return gemm1_blocks() * hidden_blocks(); }
  [[nodiscard]] constexpr std::size_t gemm2_scales() const { return hidden_blocks() * intermediate_blocks(); }
};

/// The contest's, and a small sibling for trials by the thousand on a CPU.
inline constexpr Dimensions kContest = {.name = "moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048",
                                        .experts = 256,
                                        .local_experts = 32,
                                        .hidden = 7168,
                                        .intermediate = 2048,
                                        .groups = 8,
                                        .kept_groups = 4,
                                        .top_k = 8};
inline constexpr Dimensions kSmall = {.name = "moe_fp8_block_scale_ds_routing_topk4_ng4_kg2_e4_h256_i256",
                                      .experts = 16,
                                      .local_experts = 4,
                                      .hidden = 256,
                                      .intermediate = 256,
                                      .groups = 4,
                                      .kept_groups = 2,
                                      .top_k = 4};

/// Positions of the arguments in calling order.
enum Input : std::size_t {
  kLogits,               ///< float32 [tokens, experts]
  kBias,                 ///< bfloat16 [experts]
  kHidden,               ///< e4m3fn [tokens, hidden]
  kHiddenScale,          ///< float32 [hidden blocks, tokens]
  kGemm1Weights,         ///< e4m3fn [local experts, 2 intermediate, hidden]
  kGemm1WeightsScale,    ///< float32 [local experts, 2 intermediate blocks, hidden blocks]
  kGemm2Weights,         ///< e4m3fn [local experts, hidden, intermediate]
  kGemm2WeightsScale,    ///< float32 [local experts, hidden blocks, intermediate blocks]
  kLocalExpertOffset,    ///< int32
  kRoutedScalingFactor,  ///< float32
  kInputCount
};

}  // namespace assay::operators::moe_fp8_block_scale
