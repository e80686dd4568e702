#include <assay/tensor/matrix_product.hpp>

#include <algorithm>

#include <assay/base/parallel.hpp>
#include <assay/base/uninitialised.hpp>

namespace assay::tensor {
namespace {

/// Columns of the product that one thread works on: with a depth block of them, half of a megabyte-sized cache.
constexpr std::size_t kPanelColumns = 64;
static_assert(kPanelColumns % kTileColumns == 0);

using Doubles = base::UninitialisedVector<double>;

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

/// Turns rows into a tile with the rows side by side, as the kernels read it; the rows that are missing are zero.
template <std::size_t kTile>
void pack_tile(const double* from, std::size_t rows, std::size_t columns, double* to) {
  if (rows == kTile) {
    for (std::size_t k = 0; k < columns; ++k) {
      for (std::size_t row = 0; row < kTile; ++row) {
        to[k * kTile + row] = from[row * columns + k];
      }
    }
    return;
  }
  std::fill_n(to, columns * kTile, 0.0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < columns; ++k) {
      to[k * kTile + row] = from[row * columns + k];
    }
  }
}

/// All of A, tile by tile; a tile holds its depth blocks one behind the other.
Doubles pack_rows(std::size_t rows, std::size_t depth, const MatrixReader& a) {
  Doubles packed(round_up(rows, kTileRows) * depth);
  base::parallel_for((rows + kTileRows - 1) / kTileRows, [&](std::size_t tile) {
    Doubles plain(kTileRows * std::min(depth, kDepthBlock));
    const std::size_t first = tile * kTileRows;
    const std::size_t count = std::min(kTileRows, rows - first);
    for (std::size_t k = 0; k < depth; k += kDepthBlock) {
      const std::size_t columns = std::min(kDepthBlock, depth - k);
      a(first, count, k, columns, plain.data());
      pack_tile<kTileRows>(plain.data(), count, columns, packed.data() + first * depth + k * kTileRows);
    }
  });
  return packed;
}

}  // namespace

void multiply_transposed(std::size_t rows, std::size_t columns, std::size_t depth, const MatrixReader& a,
                         const MatrixReader& b, const ProductSink& sink, const ProductKernel& kernel) {
  const Doubles packed_a = pack_rows(rows, depth, a);
  base::parallel_for((columns + kPanelColumns - 1) / kPanelColumns, [&](std::size_t panel) {
    const std::size_t first = panel * kPanelColumns;
    const std::size_t count = std::min(kPanelColumns, columns - first);
    const std::size_t block = std::min(depth, kDepthBlock);
    Doubles plain(count * block);
    Doubles packed_b(round_up(count, kTileColumns) * block);
    Doubles sums(rows * kPanelColumns);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t k = 0; k < depth; k += kDepthBlock) {
      const std::size_t now = std::min(kDepthBlock, depth - k);
      b(first, count, k, now, plain.data());
      for (std::size_t column = 0; column < count; column += kTileColumns) {
        pack_tile<kTileColumns>(plain.data() + column * now, std::min(kTileColumns, count - column), now,
                                packed_b.data() + column * now);
      }
      for (std::size_t row = 0; row < rows; row += kTileRows) {
        for (std::size_t column = 0; column < count; column += kTileColumns) {
          kernel.add(std::min(kTileRows, rows - row), now, packed_a.data() + row * depth + k * kTileRows,
                     packed_b.data() + column * now, sums.data() + row * kPanelColumns + column, kPanelColumns);
        }
      }
    }
    sink(first, count, sums.data(), kPanelColumns);
  });
}

}  // namespace assay::tensor
