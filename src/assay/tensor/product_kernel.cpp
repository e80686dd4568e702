#include <assay/tensor/product_kernel.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace assay::tensor {
namespace {

void add_plain(std::size_t rows, std::size_t depth, const double* a, const double* b, double* c, std::size_t stride) {
  constexpr std::size_t kColumns = 4;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < kTileColumns; column += kColumns) {
      std::array<double, kColumns> sums;
      std::copy_n(c + row * stride + column, kColumns, sums.begin());
      for (std::size_t k = 0; k < depth; ++k) {
        const double factor = a[k * kTileRows + row];
        for (std::size_t j = 0; j < kColumns; ++j) {
          sums[j] += factor * b[k * kTileColumns + column + j];
        }
      }
      std::copy_n(sums.begin(), kColumns, c + row * stride + column);
    }
  }
}

#if defined(__x86_64__)

using Add = void (*)(std::size_t depth, const double* a, const double* b, double* c, std::size_t stride);

// Both use most of their registers for sums: 24 of 32, and 12 of 16. With fewer rows there are fewer sums, not other
// ones.
template <std::size_t kRows>
__attribute__((target("avx512f"))) void add_avx512(std::size_t depth, const double* a, const double* b, double* c,
                                                   std::size_t stride) {
  __m512d sums[kRows][2];
  for (std::size_t row = 0; row < kRows; ++row) {
    sums[row][0] = _mm512_loadu_pd(c + row * stride);
    sums[row][1] = _mm512_loadu_pd(c + row * stride + 8);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    const __m512d first = _mm512_loadu_pd(b + k * kTileColumns);
    const __m512d second = _mm512_loadu_pd(b + k * kTileColumns + 8);
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      const __m512d factor = _mm512_set1_pd(a[k * kTileRows + row]);
      sums[row][0] = _mm512_fmadd_pd(factor, first, sums[row][0]);
      sums[row][1] = _mm512_fmadd_pd(factor, second, sums[row][1]);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    _mm512_storeu_pd(c + row * stride, sums[row][0]);
    _mm512_storeu_pd(c + row * stride + 8, sums[row][1]);
  }
}

template <std::size_t kRows>
__attribute__((target("avx2,fma"))) void add_avx2(std::size_t depth, const double* a, const double* b, double* c,
                                                  std::size_t stride) {
  __m256d sums[kRows][2];
  for (std::size_t row = 0; row < kRows; ++row) {
    sums[row][0] = _mm256_loadu_pd(c + row * stride);
    sums[row][1] = _mm256_loadu_pd(c + row * stride + 4);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    const __m256d first = _mm256_loadu_pd(b + k * kTileColumns);
    const __m256d second = _mm256_loadu_pd(b + k * kTileColumns + 4);
#pragma GCC unroll 6
    for (std::size_t row = 0; row < kRows; ++row) {
      const __m256d factor = _mm256_broadcast_sd(a + k * kTileRows + row);
      sums[row][0] = _mm256_fmadd_pd(factor, first, sums[row][0]);
      sums[row][1] = _mm256_fmadd_pd(factor, second, sums[row][1]);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    _mm256_storeu_pd(c + row * stride, sums[row][0]);
    _mm256_storeu_pd(c + row * stride + 4, sums[row][1]);
  }
}

template <std::size_t... kIndex>
constexpr std::array<Add, sizeof...(kIndex)> avx512_by_rows(std::index_sequence<kIndex...> /*rows less one*/) {
  return {add_avx512<kIndex + 1>...};
}

template <std::size_t... kIndex>
constexpr std::array<Add, sizeof...(kIndex)> avx2_by_rows(std::index_sequence<kIndex...> /*rows less one*/) {
  return {add_avx2<kIndex + 1>...};
}

void add_with_avx512(std::size_t rows, std::size_t depth, const double* a, const double* b, double* c,
                     std::size_t stride) {
  static constexpr auto kByRows = avx512_by_rows(std::make_index_sequence<kTileRows>());
  if (rows > 0) {
    kByRows[rows - 1](depth, a, b, c, stride);
  }
}

void add_with_avx2(std::size_t rows, std::size_t depth, const double* a, const double* b, double* c,
                   std::size_t stride) {
  constexpr std::size_t kMostRows = 6;
  constexpr std::size_t kColumns = 8;
  static constexpr auto kByRows = avx2_by_rows(std::make_index_sequence<kMostRows>());
  for (std::size_t row = 0; row < rows; row += kMostRows) {
    for (std::size_t column = 0; column < kTileColumns; column += kColumns) {
      kByRows[std::min(kMostRows, rows - row) - 1](depth, a + row, b + column, c + row * stride + column, stride);
    }
  }
}

#endif

std::vector<ProductKernel> usable_kernels() {
  std::vector<ProductKernel> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) {
    kernels.push_back({"avx512", add_with_avx512});
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    kernels.push_back({"avx2", add_with_avx2});
  }
#endif
  kernels.push_back({"plain", add_plain});
  return kernels;
}

}  // namespace

std::span<const ProductKernel> product_kernels() {
  static const std::vector<ProductKernel> kKernels = usable_kernels();
  return kKernels;
}

}  // namespace assay::tensor
