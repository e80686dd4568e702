#pragma once

#include <span>

#include <assay/tensor/view.hpp>

namespace assay::tensor {

/// Writes values into a tensor, each rounded to its type (to nearest, ties to even; through float32 for the floating
/// types narrower than that). What an integer type cannot hold is cut to its range; NaN becomes 0 there. As many values as
/// elements (checked). Not for float4_e2m1.
void write_rounded(const View& view, std::span<const double> values);

/// Returns a value with so many significant bits (1 to 52), rounded to nearest: what a type with a shorter significand
/// but the same range would keep. Zeros, infinities and NaN stay what they are.
[[nodiscard]] double round_to_bits(double value, int significant_bits);

/// Significant bits of a floating type, the implicit one included: 24 for float32.
[[nodiscard]] int significant_bits(DType dtype);

}  // namespace assay::tensor
