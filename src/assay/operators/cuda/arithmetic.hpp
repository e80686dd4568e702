#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include <assay/base/host_device.hpp>

/// What the kernels of the references compute with, so written that tests run the same lines on a CPU.
namespace assay::operators::cuda {

[[nodiscard]] ASSAY_HOST_DEVICE inline float float_of_bits(std::uint32_t bits) {
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// A bfloat16 is the upper half of a float32. Exact, denormals too.
[[nodiscard]] ASSAY_HOST_DEVICE inline double bfloat16_value(std::uint16_t bits) {
  return static_cast<double>(float_of_bits(static_cast<std::uint32_t>(bits) << 16U));
}

/// The code's exponent and mantissa, put where a float32 has them, are a number 2^120 times too small (the biases are 7
/// and 127), whether normal or not; the multiplication is exact. All bits but the sign's set is NaN.
[[nodiscard]] ASSAY_HOST_DEVICE inline float float8_e4m3fn_value(std::uint8_t code) {
  const std::uint32_t magnitude = code & 0x7fU;
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80U) << 24U;
  const float value = float_of_bits(sign | magnitude << 20U) * 0x1p120F;
  return magnitude == 0x7fU ? float_of_bits(0x7fc00000U) : value;
}

/// log(1 + e^x), and x itself beyond 20, as the definitions have it.
[[nodiscard]] ASSAY_HOST_DEVICE inline double softplus_value(double x) { return x > 20.0 ? x : log1p(exp(x)); }

[[nodiscard]] ASSAY_HOST_DEVICE inline double sigmoid_value(double x) { return 1.0 / (1.0 + exp(-x)); }

[[nodiscard]] ASSAY_HOST_DEVICE inline double silu_value(double x) { return x / (1.0 + exp(-x)); }

/// The decay of the gated delta rule.
[[nodiscard]] ASSAY_HOST_DEVICE inline double decay_value(double a_log, double a, double dt_bias) {
  return exp(-exp(a_log) * softplus_value(a + dt_bias));
}

}  // namespace assay::operators::cuda
