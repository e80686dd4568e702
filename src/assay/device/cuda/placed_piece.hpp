#pragma once

#include <cstdint>

namespace assay::device::cuda {

/// A piece of a CopyPlan as the kernel reads it: addresses are the device's. `kind`: CopyPlan::Kind.
struct PlacedPiece {
  std::uint64_t to = 0;
  std::uint64_t from = 0;
  std::uint32_t bytes = 0;
  std::uint16_t kind = 0;
  std::uint16_t mask_bytes = 0;
  std::uint32_t mask = 0;  ///< Offset behind the masks' start.
  float factor = 0;
};
static_assert(sizeof(PlacedPiece) == 32);

/// A patch of a CopyPlan; `from` lies in device memory.
struct PlacedPatch {
  std::uint64_t to = 0;
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
};

/// What a warp does of a piece at once: longer ones are cut.
inline constexpr std::uint32_t kPlacedBytes = 16384;

}  // namespace assay::device::cuda
