#include <assay/operators/gemm/reference.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gemm/layout.hpp>
#include <assay/tensor/matrix_product.hpp>

namespace assay::operators::gemm {
namespace {

constexpr std::size_t kRows = 256;     // Of A, that are held as doubles at a time.
constexpr double kFloat16End = 65520;  // From here on float16 rounds to infinity.

struct Sizes {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
};

double read_half(std::span<const std::byte> bytes, std::size_t index, tensor::DType dtype) {
  const auto bits = load<std::uint16_t>(bytes, index);
  return static_cast<double>(dtype == tensor::DType::float16 ? tensor::from_float16(bits)
                                                             : tensor::from_bfloat16(bits));
}

// Rows of a matrix of `width` columns, from `begin` on.
tensor::MatrixReader rows_from(std::span<const std::byte> bytes, tensor::DType dtype, std::size_t width,
                               std::size_t begin) {
  return [=](std::size_t first_row, std::size_t rows, std::size_t first_column, std::size_t columns, double* to) {
    for (std::size_t row = begin + first_row; row < begin + first_row + rows; ++row) {
      for (std::size_t k = first_column; k < first_column + columns; ++k) {
        *to++ = read_half(bytes, row * width + k, dtype);
      }
    }
  };
}

double as_stored(double value, tensor::DType dtype) {
  return dtype == tensor::DType::float16 && std::fabs(value) >= kFloat16End
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : value;
}

void norms_of_rows(std::span<const std::byte> bytes, tensor::DType dtype, std::size_t rows, std::size_t width,
                   ExpectedValues& norms) {
  norms.resize(rows);
  base::parallel_for(rows, [&](std::size_t row) {
    double square = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const double value = read_half(bytes, row * width + k, dtype);
      square += value * value;
    }
    norms[row] = std::sqrt(square);
  });
}

}  // namespace

base::Result<void> compute_reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                     tensor::DType dtype, std::vector<ExpectedValues>& outputs) {
  Sizes sizes;
  ASSAY_TRY_ASSIGN(sizes.m, axis_value(axes, "M"));
  ASSAY_TRY_ASSIGN(sizes.n, axis_value(axes, "N"));
  ASSAY_TRY_ASSIGN(sizes.k, axis_value(axes, "K"));
  ASSAY_TRY_ASSIGN(const auto a, tensor_bytes(inputs, kA, "A", dtype, sizes.m * sizes.k));
  ASSAY_TRY_ASSIGN(const auto b, tensor_bytes(inputs, kB, "B", dtype, sizes.n * sizes.k));
  outputs.resize(kExpectedCount);
  resize_large(outputs[kC], sizes.m * sizes.n);
  norms_of_rows(a, dtype, sizes.m, sizes.k, outputs[kRowNorms]);
  norms_of_rows(b, dtype, sizes.n, sizes.k, outputs[kColumnNorms]);

  for (std::size_t begin = 0; begin < sizes.m; begin += kRows) {
    const std::size_t rows = std::min(kRows, sizes.m - begin);
    tensor::multiply_transposed(
        rows, sizes.n, sizes.k, rows_from(a, dtype, sizes.k, begin), rows_from(b, dtype, sizes.k, 0),
        [&](std::size_t first, std::size_t count, const double* values, std::size_t stride) {
          for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < count; ++column) {
              outputs[kC][(begin + row) * sizes.n + first + column] = as_stored(values[row * stride + column], dtype);
            }
          }
        });
  }
  return {};
}

}  // namespace assay::operators::gemm
