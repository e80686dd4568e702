#pragma once

#include <cstdint>

#include <assay/operators/cuda/arithmetic.hpp>

/// Products of matrices of which one has quantised rows, in float64, by 128 threads a tile.
namespace assay::operators::cuda {

inline constexpr int kTileThreads = 128;
inline constexpr int kTileColumns = 128;
inline constexpr int kTileDepth = 16;  ///< Elements of a row that a step brings into shared memory; one scale has all.
inline constexpr int kScaleBlock = 128;  ///< Elements that share a scale.
static_assert(kScaleBlock % kTileDepth == 0);

/// Copies `kBytes` (a power of two) from an address that is a multiple of it.
template <int kBytes>
__device__ inline void copy_aligned(void* to, const void* from) {
  memcpy(to, __builtin_assume_aligned(from, kBytes), kBytes);
}

/// Consecutive elements of a row of codes: loaded in one step, decoded in the next, so that the product of a
/// step hides the latency of loading another.
template <int kCount>
class QuantisedPiece {
 public:
  /// `codes` is a row, or null for one of zeros; scales[k / kScaleBlock * stride] is that of element k.
  __device__ QuantisedPiece(const std::uint8_t* codes, const float* scales, std::size_t stride)
      : row_(codes), scales_(scales), stride_(stride) {}
  __device__ void load(int first) {
    if (row_ != nullptr) {
      copy_aligned<kCount>(codes_, row_ + first);
      scale_ = static_cast<double>(scales_[first / kScaleBlock * stride_]);
    }
  }
  /// Exact: 4 significant bits times 24.
  __device__ double value(int i) const { return static_cast<double>(float8_e4m3fn_value(codes_[i])) * scale_; }

 private:
  const std::uint8_t* row_;
  const float* scales_;
  std::size_t stride_;
  std::uint8_t codes_[kCount] = {};
  double scale_ = 0;
};

/// The same of a row of doubles.
template <int kCount>
class PlainPiece {
 public:
  explicit __device__ PlainPiece(const double* row) : row_(row) {}
  __device__ void load(int first) {
    if (row_ != nullptr) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        values_[i] = row_[first + i];
      }
    }
  }
  __device__ double value(int i) const { return values_[i]; }

 private:
  const double* row_;
  double values_[kCount] = {};
};

template <int kRows>
struct TileMemory {
  double left[kTileDepth][kRows];
  double right[kTileDepth][kTileColumns];
};

/// How the rows of a tile are spread over threads: each loads kPiece elements of row row() from first() on, a step.
template <int kRows>
struct TileThread {
  static constexpr int kPiece = kTileDepth * kRows / kTileThreads;
  static constexpr int kSums = kRows / 8;  ///< Rows, of each of which a thread sums eight columns.
  __device__ static int row() { return static_cast<int>(threadIdx.x) % kRows; }
  __device__ static int first() { return static_cast<int>(threadIdx.x) / kRows * kPiece; }
  /// sums[i][j] is row sum_row(i), column sum_column(j).
  __device__ static int sum_row(int i) { return static_cast<int>(threadIdx.x) / 16 + 8 * i; }
  __device__ static int sum_column(int j) { return static_cast<int>(threadIdx.x) % 16 + 16 * j; }
};

/// Computes sums[i][j] = sum over k < depth of left[row][k] * right[column][k], for this thread's part of a tile.
/// `left` is the thread's piece of its row, `right` the row threadIdx.x of the right matrix. All threads must call it.
template <int kRows, class Left>
__device__ void multiply_tile(TileMemory<kRows>& memory, int depth, Left left, QuantisedPiece<kTileDepth> right,
                              double (&sums)[TileThread<kRows>::kSums][8]) {
  using Thread = TileThread<kRows>;
  const int own = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < Thread::kSums; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      sums[i][j] = 0;
    }
  }
  left.load(Thread::first());
  right.load(0);
  for (int step = 0; step < depth; step += kTileDepth) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Thread::kPiece; ++i) {
      memory.left[Thread::first() + i][Thread::row()] = left.value(i);
    }
#pragma unroll
    for (int k = 0; k < kTileDepth; ++k) {
      memory.right[k][own] = right.value(k);
    }
    __syncthreads();
    if (step + kTileDepth < depth) {
      left.load(step + kTileDepth + Thread::first());
      right.load(step + kTileDepth);
    }
#pragma unroll 2
    for (int k = 0; k < kTileDepth; ++k) {
      double of_left[Thread::kSums];
      double of_right[8];
#pragma unroll
      for (int i = 0; i < Thread::kSums; ++i) {
        of_left[i] = memory.left[k][Thread::sum_row(i)];
      }
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        of_right[j] = memory.right[k][Thread::sum_column(j)];
      }
#pragma unroll
      for (int i = 0; i < Thread::kSums; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          sums[i][j] += of_left[i] * of_right[j];
        }
      }
    }
  }
}

}  // namespace assay::operators::cuda
