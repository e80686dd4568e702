#pragma once

#include <cstdint>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::fuzz {

using Input = std::vector<std::uint8_t>;

/// Makes a new input from one or two of `seeds` (not empty) by one to eight changes: flipped bits, other bytes, values at
/// the edges of integer types, pieces removed, repeated, moved in from another seed, or cut off. Blind, unlike libFuzzer:
/// it finds what lies near the seeds.
[[nodiscard]] Input mutate(const std::vector<Input>& seeds, base::Philox& random);

}  // namespace assay::fuzz
