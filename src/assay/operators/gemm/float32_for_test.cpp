#include <assay/operators/gemm/float32_for_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <assay/operators/gemm/layout.hpp>

namespace assay::operators::gemm {
namespace {

float rounded(float value, tensor::DType dtype) {
  return dtype == tensor::DType::float16 ? tensor::from_float16(tensor::to_float16(value))
                                         : tensor::from_bfloat16(tensor::to_bfloat16(value));
}

// Keeps `lost` binary digits less than the type has.
float with_fewer_digits(float value, tensor::DType dtype, int lost) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  const int digits = (dtype == tensor::DType::float16 ? 11 : 8) - lost;
  return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
}

float towards_zero(float value, tensor::DType dtype) {
  const float nearest = rounded(value, dtype);
  if (!(std::fabs(nearest) > std::fabs(value))) {
    return nearest;
  }
  int exponent = 0;
  static_cast<void>(std::frexp(value, &exponent));
  const int digits = dtype == tensor::DType::float16 ? 11 : 8;
  const int least = dtype == tensor::DType::float16 ? -24 : -133;
  const int step = std::max(exponent - digits, least);
  return std::ldexp(std::trunc(std::ldexp(value, -step)), step);
}

struct Problem {
  HalfElements a;
  HalfElements b;
  std::size_t n;
  std::size_t k;
  tensor::DType dtype;
  Mistake mistake;
};

std::array<float, 2> factors(const Problem& problem, std::size_t row, std::size_t column, std::size_t k) {
  const bool transposed = problem.mistake != Mistake::not_transposed;
  std::array<float, 2> pair = {problem.a.get(row * problem.k + k),
                               problem.b.get(transposed ? column * problem.k + k : k * problem.n + column)};
  for (float& value : pair) {
    switch (problem.mistake) {
      case Mistake::absolute_values:
        value = std::fabs(value);
        break;
      case Mistake::rounded_inputs:
        value = with_fewer_digits(value, problem.dtype, 3);
        break;
      case Mistake::flushed_subnormals:
        value = std::fabs(value) < 0x1p-14F ? 0 : value;
        break;
      default:
        break;
    }
  }
  return pair;
}

float sum_of_block(const Problem& problem, std::size_t row, std::size_t column, std::size_t first, std::size_t last,
                   const Style& style) {
  std::array<float, 64> sums{};
  for (std::size_t step = first; step < last; ++step) {
    const std::size_t k = style.backwards ? last - 1 - (step - first) : step;
    const auto [a, b] = factors(problem, row, column, k);
    float& sum = sums[step % style.strands];
    if (problem.mistake == Mistake::saturated_terms) {
      sum += std::clamp(a * b, -64.0F, 64.0F);
    } else {
      sum = style.fused_multiply ? std::fma(a, b, sum) : sum + a * b;
    }
    if (problem.mistake == Mistake::half_accumulator) {
      sum = rounded(sum, problem.dtype);
    }
  }
  for (std::size_t width = style.strands / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) {
      sums[i] += sums[i + width];
    }
  }
  return sums[0];
}

float element_of_c(const Problem& problem, std::size_t row, std::size_t column, const Style& style) {
  std::size_t depth = problem.k;
  if (problem.mistake == Mistake::last_term_dropped) {
    --depth;
  } else if (problem.mistake == Mistake::tail_dropped) {
    depth = depth / 16 * 16;
  }
  const bool halves = problem.mistake == Mistake::half_partial_sums;
  const std::size_t block = halves ? (depth + 1) / 2 : style.block == 0 ? depth : style.block;
  float total = 0;
  for (std::size_t first = 0; first < depth; first += block) {
    const float sum = sum_of_block(problem, row, column, first, std::min(depth, first + block), style);
    total += halves ? rounded(sum, problem.dtype) : sum;
  }
  if (problem.mistake == Mistake::truncated_output) {
    return towards_zero(total, problem.dtype);
  }
  return problem.mistake == Mistake::rounded_twice ? rounded(rounded(total * 1.7F, problem.dtype) / 1.7F, problem.dtype)
                                                   : total;
}

}  // namespace

void run_float32(OperatorTrial& trial, tensor::DType dtype, const Style& style, Mistake mistake,
                 std::vector<float>* sums) {
  const std::size_t m = trial.axis("M");
  const Problem problem{HalfElements(trial.input(kA).bytes, dtype),
                        HalfElements(trial.input(kB).bytes, dtype),
                        trial.axis("N"),
                        trial.axis("K"),
                        dtype,
                        mistake};
  const HalfElements c(trial.output(0).bytes, dtype);
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < problem.n; ++column) {
      if ((mistake == Mistake::last_row_missing && row + 1 == m) ||
          (mistake == Mistake::last_column_missing && column + 1 == problem.n)) {
        continue;
      }
      std::size_t source = mistake == Mistake::first_row_for_all ? 0 : row;
      if (mistake == Mistake::row_of_rest_wrong && row >= m / 8 * 8 && row > 0) {
        source = row - 1;
      }
      const std::size_t at = row * problem.n + column;
      if (mistake == Mistake::zeros) {
        c.set(at, 0);
      } else if (mistake == Mistake::copied_input) {
        c.set(at, problem.a.get(at % problem.a.size()));
      } else {
        const float sum = element_of_c(problem, source, column, style);
        c.set(at, sum);
        if (sums != nullptr) {
          sums->push_back(sum);
        }
      }
    }
  }
}

}  // namespace assay::operators::gemm
