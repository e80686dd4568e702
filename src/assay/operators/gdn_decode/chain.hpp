#pragma once

#include <cstdint>
#include <span>

#include <assay/base/random.hpp>

namespace assay::operators::gdn_decode {

/// Writes the state that `steps` steps of the recurrence leave of a state of zeros, with keys that lean towards `key`
/// (cosines of about 0.6 between them), values N(0, 1) cut from `normals`, decays of 0.95 to 1 and betas of 0.2 to 1.
/// Computed in float32: what a kernel would have left. `key` holds kHeadSize bfloat16, `state` kStateSize elements.
void leave_chain(std::size_t steps, base::Philox& random, std::span<const float> normals,
                 std::span<const std::uint16_t> key, std::span<float> state);

}  // namespace assay::operators::gdn_decode
