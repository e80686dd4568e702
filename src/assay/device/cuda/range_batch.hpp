#pragma once

#include <cstdint>

#include <assay/device/cuda/fill_pattern.hpp>

namespace assay::device::cuda {

/// Ranges that one launch works on: the grid's second axis chooses. Passed to kernels as it is; of a digest the patterns
/// mean nothing.
struct RangeBatch {
  static constexpr unsigned kMost = 16;
  std::uint64_t address[kMost] = {};
  std::uint64_t bytes[kMost] = {};
  FillPattern pattern[kMost] = {};
};

/// Likewise, of places that are held beside each other.
struct RangePairBatch {
  static constexpr unsigned kMost = 16;
  std::uint64_t first[kMost] = {};
  std::uint64_t second[kMost] = {};
  std::uint64_t bytes[kMost] = {};
};

}  // namespace assay::device::cuda
