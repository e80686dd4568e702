#pragma once

#include <array>

#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// Kinds of stress, in the order of kStressKinds.
enum class Kind : std::uint8_t {
  moderate_gates,
  negative_scores,
  expert_ties,
  group_ties,
  biased_choice,
  one_sign,
  wide_scales,
  one_expert,
  no_local_expert,
  saturated,
  close_margins,
  hot_group,
};

/// The order and the names never change.
inline constexpr std::array<StressKind, 12> kStressKinds = {{
    {"moderate_gates", "gates of about N(0, 2), where silu is neither 0 nor its argument; independent routing"},
    {"negative_scores", "a bias that makes every score negative: what masks a group must be less than any of them"},
    {"expert_ties", "equal scores, and scores one unit in the last place apart, at the last selected expert"},
    {"group_ties", "two groups of equal scores of which only one can be kept"},
    {"biased_choice", "a bias that decides the selection, while the weights are those without it"},
    {"one_sign",
     "all values positive and one group hot: sums that grow with every term show what an accumulator loses"},
    {"wide_scales", "scales of 2^-8 to 2^8 in size and of both signs, some of them 0"},
    {"one_expert", "every token selects the same local expert, and the others have no token"},
    {"no_local_expert", "no token selects a local expert: the output is zero"},
    {"saturated", "sigmoids that are 1 in float32, so that the bias decides; fp8 values of 448, 2^-9 and 0"},
    {"close_margins", "last selected and first other expert 2^-14 to 2^-11 apart: half precision cannot tell them"},
    {"hot_group", "the local group is kept by every token, so that tokens have several local experts"},
}};

/// Returns the stress trial of this index. `largest_bytes` bounds what grows with the tokens; the weights come on
/// top of it, as they are the same for every shape.
[[nodiscard]] StressTrial make_stress_trial(const Dimensions& dimensions, std::uint64_t seed, std::uint64_t index,
                                            std::uint64_t largest_bytes);

}  // namespace assay::operators::moe_fp8_block_scale
