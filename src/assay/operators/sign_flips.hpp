#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::operators {

/// Random signs, one an element: 0, or the sign bit of a bfloat16. Flipping signs of a state's rows and of the values
/// that are written there, or of its columns and of the keys and queries that meet them, changes the contents of a gated
/// delta rule's call and leaves all magnitudes as they are.
using Signs = std::vector<std::uint16_t>;

[[nodiscard]] Signs draw_signs(base::Philox& random, std::size_t count);

/// Flips the signs of bfloat16 elements; as many signs.
void flip(std::span<std::uint16_t> values, std::span<const std::uint16_t> signs);

/// Flips the signs of a float32 matrix, row-major, by both its row's and its column's.
void flip(std::span<float> matrix, std::span<const std::uint16_t> rows, std::span<const std::uint16_t> columns);

}  // namespace assay::operators
