#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/moe_fp8_block_scale/stress.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// Scores of drawn tokens are at least this far from another choice, where the kind does not want them nearer: sixteen
/// times what makes another choice legal, for experts.
inline constexpr double kDrawnMargin = 0x1p-14;

/// Router inputs: logits [tokens, experts], and a bias in bfloat16.
struct RouterInputs {
  std::vector<float> logits;
  std::vector<std::uint16_t> bias;
};

/// Draws the routing of a workload, from its uuid alone: a router's taste that all tokens share, N(0, 0.4) an expert,
/// balanced over groups, plus N(0, 1) of their own; a bias of N(0, 0.05). At least one token has a local expert.
[[nodiscard]] RouterInputs draw_workload_routing(const Dimensions& dimensions, std::string_view uuid,
                                                 std::size_t tokens, std::int64_t offset);

/// Draws routing of a kind of stress.
[[nodiscard]] RouterInputs draw_stress_routing(const Dimensions& dimensions, Kind kind, std::size_t tokens,
                                               std::int64_t offset, base::Philox& random);

}  // namespace assay::operators::moe_fp8_block_scale
