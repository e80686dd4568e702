#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace assay::tensor {

/// Rows and columns of the tile that a product kernel keeps in registers.
inline constexpr std::size_t kTileRows = 12;
inline constexpr std::size_t kTileColumns = 16;

/// Adds a product to a tile of doubles: c[r][j] += sum over k of a[k * kTileRows + r] * b[k * kTileColumns + j], for r <
/// rows <= kTileRows and all kTileColumns columns j; rows of c are `stride` apart. k ascends for every element, so that
/// a result does not depend on how rows and columns are cut into tiles.
struct ProductKernel {
  std::string_view name;
  void (*add)(std::size_t rows, std::size_t depth, const double* a, const double* b, double* c, std::size_t stride);
};

/// Returns the kernels that this CPU can run, the fastest first; the last is plain C++. They differ in rounding only
/// (fused or not).
[[nodiscard]] std::span<const ProductKernel> product_kernels();

}  // namespace assay::tensor
