#include <assay/operators/gemm/reference.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gemm/layout.hpp>

namespace assay::operators::gemm {
namespace {

constexpr std::size_t kColumns = 8;    // Of C, that are computed together: one register line.
constexpr std::size_t kRows = 256;     // Of A, that are held as doubles at a time.
constexpr double kFloat16End = 65520;  // From here on float16 rounds to infinity.

// Eight doubles; the compiler splits them into the registers that there are. Each element of C is summed in the order
// of k, however wide those are.
using Line = double __attribute__((vector_size(kColumns * sizeof(double))));

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

void read_rows(std::span<const std::byte> bytes, tensor::DType dtype, std::size_t first, std::vector<double>& rows) {
  constexpr std::size_t kPiece = std::size_t{1} << 15U;
  base::parallel_for((rows.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    for (std::size_t i = piece * kPiece; i < std::min(rows.size(), (piece + 1) * kPiece); ++i) {
      rows[i] = read_half(bytes, first + i, dtype);
    }
  });
}

// Columns [n, n + kColumns) of B^T, k-major; zeros beyond the end.
void pack_columns(std::span<const std::byte> b, tensor::DType dtype, const Sizes& sizes, std::size_t n,
                  std::vector<double>& packed) {
  packed.assign(sizes.k * kColumns, 0);
  for (std::size_t column = 0; column < std::min(kColumns, sizes.n - n); ++column) {
    for (std::size_t k = 0; k < sizes.k; ++k) {
      packed[k * kColumns + column] = read_half(b, (n + column) * sizes.k + k, dtype);
    }
  }
}

// Two rows of A with one panel.
void multiply(const double* first, const double* second, const double* panel, std::size_t depth, Line& c_first,
              Line& c_second) {
  Line sum_first{};
  Line sum_second{};
  for (std::size_t k = 0; k < depth; ++k) {
    Line b;
    std::memcpy(&b, panel + k * kColumns, sizeof b);
    sum_first += first[k] * b;
    sum_second += second[k] * b;
  }
  c_first = sum_first;
  c_second = sum_second;
}

double as_stored(double value, tensor::DType dtype) {
  return dtype == tensor::DType::float16 && std::fabs(value) >= kFloat16End
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : value;
}

void store_line(const Line& line, std::size_t row, std::size_t n, const Sizes& sizes, tensor::DType dtype,
                ExpectedValues& c) {
  for (std::size_t column = 0; column < std::min(kColumns, sizes.n - n); ++column) {
    c[row * sizes.n + n + column] = as_stored(line[column], dtype);
  }
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
    std::vector<double> held(rows * sizes.k);
    read_rows(a, dtype, begin * sizes.k, held);
    base::parallel_for((sizes.n + kColumns - 1) / kColumns, [&](std::size_t panel) {
      std::vector<double> packed;
      pack_columns(b, dtype, sizes, panel * kColumns, packed);
      for (std::size_t row = 0; row < rows; row += 2) {
        const std::size_t next = std::min(row + 1, rows - 1);
        Line first;
        Line second;
        multiply(held.data() + row * sizes.k, held.data() + next * sizes.k, packed.data(), sizes.k, first, second);
        store_line(first, begin + row, panel * kColumns, sizes, dtype, outputs[kC]);
        store_line(second, begin + next, panel * kColumns, sizes, dtype, outputs[kC]);
      }
    });
  }
  return {};
}

}  // namespace assay::operators::gemm
