#pragma once

#include <array>
#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/moe_fp8_block_scale/routing.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// What C becomes before it is multiplied with W2.
enum class Intermediate : std::uint8_t {
  exact,        ///< It stays: the definition.
  requantised,  ///< e4m3fn, with a scale for each 128 of a token's elements, their largest magnitude / 448.
};

/// Computes the output in double precision from the quantised inputs. For every local expert e that a token selects
/// (routing.hpp), with the scales of 128-element blocks multiplied in,
///   G = W1[e] x,  C = silu(G[intermediate:]) * G[:intermediate],  output += weight * W2[e] C
/// and zero rows for tokens without one. outputs[0] is the output of the nominal selection; outputs[1] has, one behind
/// the other, the unweighted W2[e] C of each ambiguous token and each of its local experts, for `compare_output`.
/// Expert by expert, 512 tokens at a time; beside the outputs it needs about 100 MB at the contest's sizes.
/// Arguments that do not fit the definition are internal errors: the caller checked the workload.
[[nodiscard]] base::Result<void> compute_reference(const Dimensions& dimensions, const task::AxisValues& axes,
                                                   std::span<const ConstArgument> inputs,
                                                   std::vector<ExpectedValues>& outputs,
                                                   Intermediate intermediate = Intermediate::exact);

/// Routes the tokens of a call whose inputs were checked.
[[nodiscard]] Routing route(const Dimensions& dimensions, std::span<const ConstArgument> inputs);

/// The values of the 256 e4m3fn codes.
[[nodiscard]] const std::array<double, 256>& float8_values();

}  // namespace assay::operators::moe_fp8_block_scale
