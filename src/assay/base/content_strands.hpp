#pragma once

#include <cstdint>

#include <assay/base/host_device.hpp>
#include <assay/base/mix.hpp>

namespace assay::base {

/// How content is digested so that a CPU and a GPU get the same number, in any order and by any number of threads. The
/// bytes are cut into pieces of 32 rows of 32 little-endian words of eight bytes, the last row filled up with zeros. The
/// words in one column of a piece are stirred into a strand, whose start says where it lies; the finished strands of all
/// pieces are added up, modulo 2^64, and the sum is mixed with the length. Each step of a strand is a bijection of its
/// state and of the word, so that a change within one strand always changes the digest. A piece has the rows that hold
/// bytes. Not for adversaries who choose contents.
struct ContentStrands {
  static constexpr std::uint64_t kStrands = 32;
  static constexpr std::uint64_t kRows = 32;
  static constexpr std::uint64_t kRowBytes = kStrands * sizeof(std::uint64_t);
  static constexpr std::uint64_t kPieceBytes = kRows * kRowBytes;
  static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;  ///< 2^64 over the golden ratio.

  [[nodiscard]] ASSAY_HOST_DEVICE static constexpr std::uint64_t start(std::uint64_t piece, std::uint64_t strand) {
    return (piece * kStrands + strand + 1) * kOdd;
  }
  [[nodiscard]] ASSAY_HOST_DEVICE static constexpr std::uint64_t stir(std::uint64_t state, std::uint64_t word) {
    const std::uint64_t mixed = (state ^ word) * kOdd;
    return mixed ^ (mixed >> 29U);
  }
  [[nodiscard]] ASSAY_HOST_DEVICE static constexpr std::uint64_t finish(std::uint64_t state, std::uint64_t piece,
                                                                        std::uint64_t strand) {
    return mix(state, piece * kStrands + strand);
  }
  [[nodiscard]] ASSAY_HOST_DEVICE static constexpr std::uint64_t total(std::uint64_t sum, std::uint64_t bytes) {
    return mix(sum, bytes);
  }
};

}  // namespace assay::base
