#pragma once

#include <cstdint>

#include <assay/base/host_device.hpp>

namespace assay::base {

/// Mixes two 64-bit values into one (SplitMix64's finaliser over their combination). Stable for ever.
[[nodiscard]] ASSAY_HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a + 0x9e3779b97f4a7c15U * (b + 1);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace assay::base
