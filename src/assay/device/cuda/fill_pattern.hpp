#pragma once

#include <cstdint>

#include <assay/base/host_device.hpp>
#include <assay/base/mix.hpp>

namespace assay::device::cuda {

/// What a range of bytes is filled with, from its first byte on, whatever its alignment: a 32-bit word again and again
/// (what OutputGuard writes, poison and canaries), or random bytes, where the bytes from 8 i on are mix(seed, i).
/// Little-endian. Passed to kernels as it is.
struct FillPattern {
  enum Kind : std::uint32_t { kRepeatedWord, kRandom };
  Kind kind = kRepeatedWord;
  std::uint32_t word = 0;
  std::uint64_t seed = 0;

  [[nodiscard]] static constexpr FillPattern repeated(std::uint32_t word) { return {kRepeatedWord, word, 0}; }
  [[nodiscard]] static constexpr FillPattern random(std::uint64_t seed) { return {kRandom, 0, seed}; }

  /// The eight bytes from `offset` on.
  [[nodiscard]] ASSAY_HOST_DEVICE constexpr std::uint64_t eight_at(std::uint64_t offset) const {
    if (kind == kRepeatedWord) {
      const std::uint64_t twice = (std::uint64_t{word} << 32U) | word;
      const std::uint64_t shift = 8 * (offset % 4);
      return shift == 0 ? twice : (twice >> shift) | (twice << (64 - shift));
    }
    const std::uint64_t shift = 8 * (offset % 8);
    const std::uint64_t low = base::mix(seed, offset / 8);
    return shift == 0 ? low : (low >> shift) | (base::mix(seed, offset / 8 + 1) << (64 - shift));
  }
  [[nodiscard]] ASSAY_HOST_DEVICE constexpr std::uint8_t byte_at(std::uint64_t offset) const {
    return static_cast<std::uint8_t>(eight_at(offset) & 0xffU);
  }
};

}  // namespace assay::device::cuda
