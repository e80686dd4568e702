#include <assay/tensor/largest_errors.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/tensor/element_access.hpp>

namespace assay::tensor {
namespace {

constexpr double kAgainstZero = 1e-8;  // Of flashinfer-bench's formula.

LargestErrors error_of(double value, double wanted) {
  if (std::isfinite(value) && std::isfinite(wanted)) {
    const double error = std::fabs(value - wanted);
    return {error, error / (std::fabs(wanted) + kAgainstZero)};
  }
  return classify(value) == classify(wanted) ? LargestErrors{} : LargestErrors{kInfinity, kInfinity};
}

/// Of float32 elements. `got` need not be aligned.
LargestErrors largest_errors_of(const std::byte* got, const double* expected, std::size_t count) {
  Pair absolute{0, 0};
  Pair relative{0, 0};
  Pair nothing{0, 0};  // Stays so, unless something is not finite.
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    FloatPair narrow;
    Pair wanted;
    std::memcpy(&narrow, got + i * sizeof(float), sizeof narrow);
    std::memcpy(&wanted, expected + i, sizeof wanted);
    const Pair error = magnitude_of(__builtin_convertvector(narrow, Pair) - wanted);
    const Pair share = error / (magnitude_of(wanted) + kAgainstZero);
    absolute = error > absolute ? error : absolute;
    relative = share > relative ? share : relative;
    nothing += error * 0.0;
  }
  LargestErrors largest;
  if (nothing[0] == 0 && nothing[1] == 0) {
    largest = {std::max(absolute[0], absolute[1]), std::max(relative[0], relative[1])};
  } else {
    i = 0;
  }
  for (; i < count; ++i) {
    largest.add(error_of(static_cast<double>(load<float>(got, i)), expected[i]));
  }
  return largest;
}

}  // namespace

void LargestErrors::add(const LargestErrors& other) {
  absolute = std::max(absolute, other.absolute);
  relative = std::max(relative, other.relative);
}

LargestErrors largest_errors(const ConstView& got, std::span<const double> expected) {
  ASSAY_CHECK(is_floating(got.dtype) && byte_size(got.dtype, expected.size()) == got.bytes.size());
  std::vector<LargestErrors> of_piece((expected.size() + kElementsAPiece - 1) / kElementsAPiece);
  base::parallel_for(of_piece.size(), [&](std::size_t piece) {
    const std::size_t begin = piece * kElementsAPiece;
    const std::size_t end = std::min(expected.size(), begin + kElementsAPiece);
    if (got.dtype == DType::float64) {
      for (std::size_t flat = begin; flat < end; ++flat) {
        of_piece[piece].add(error_of(load<double>(got.bytes.data(), flat), expected[flat]));
      }
      return;
    }
    for_each_tile(got, begin, end - begin, [&](const std::byte* bytes, std::size_t at, std::size_t now) {
      of_piece[piece].add(largest_errors_of(bytes, expected.data() + at, now));
    });
  });
  LargestErrors largest;
  for (const LargestErrors& errors : of_piece) {
    largest.add(errors);
  }
  return largest;
}

}  // namespace assay::tensor
