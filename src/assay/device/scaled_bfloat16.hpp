#pragma once

#include <cstdint>

#include <assay/base/host_device.hpp>

namespace assay::device {

/// The bfloat16 nearest to factor * value (the product rounded to float32 first, ties to even), as tensor::to_bfloat16
/// has it. One text for the CPU and the GPU, which are to write the same bits.
[[nodiscard]] ASSAY_HOST_DEVICE inline std::uint16_t scaled_bfloat16(float value, float factor) {
  const float product = value * factor;
  std::uint32_t word = 0;
  static_assert(sizeof word == sizeof product);
  __builtin_memcpy(&word, &product, sizeof word);
  if ((word & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<std::uint16_t>((word >> 16U) | 0x40U);
  }
  return static_cast<std::uint16_t>((word + 0x7fffU + ((word >> 16U) & 1U)) >> 16U);
}

}  // namespace assay::device
