#include <assay/operators/rmsnorm/float32_for_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::operators::rmsnorm {
namespace {

float rounded(float value, tensor::DType dtype) {
  return dtype == tensor::DType::float16 ? tensor::from_float16(tensor::to_float16(value))
                                         : tensor::from_bfloat16(tensor::to_bfloat16(value));
}

float cut(float value, tensor::DType dtype) {
  const float nearest = rounded(value, dtype);
  int exponent = 0;
  static_cast<void>(std::frexp(value, &exponent));
  const int step = std::max(exponent - (dtype == tensor::DType::float16 ? 11 : 8), -24);
  return std::fabs(nearest) > std::fabs(value) ? std::ldexp(std::trunc(std::ldexp(value, -step)), step) : nearest;
}

float sum_of_squares(const std::vector<float>& row, tensor::DType dtype, const Style& style, Mistake mistake) {
  std::array<float, 64> sums{};
  const std::size_t count = mistake == Mistake::skips_rest ? row.size() / 16 * 16 : row.size();
  for (std::size_t i = 0; i < count; ++i) {
    const float square = row[i] * row[i];
    float& sum = sums[i % style.strands];
    sum += mistake == Mistake::square_in_16_bits ? rounded(square, dtype) : square;
    sum = mistake == Mistake::sum_in_16_bits ? rounded(sum, dtype) : sum;
  }
  for (std::size_t width = style.strands / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) {
      sums[i] += sums[i + width];
    }
  }
  return sums[0];
}

float mean_square(float sum, std::size_t width, float epsilon, Mistake mistake) {
  const auto count = static_cast<float>(width);
  switch (mistake) {
    case Mistake::no_epsilon:
      return sum / count;
    case Mistake::other_epsilon:
      return sum / count + 10 * epsilon;
    case Mistake::epsilon_of_sum:
      return (sum + epsilon) / count;
    case Mistake::no_mean:
      return sum + epsilon;
    default:
      return sum / count + epsilon;
  }
}

float inverse_root(float square, float sum, std::size_t width, float epsilon, const Style& style, Mistake mistake) {
  if (mistake == Mistake::epsilon_outside) {
    return 1 / (std::sqrt(sum / static_cast<float>(width)) + epsilon);
  }
  const float inverse = 1 / std::sqrt(square);
  return style.fast_root ? inverse * (1 + 0x1p-22F) : inverse;
}

void run_row(OperatorTrial& trial, const Variant& variant, tensor::DType dtype, const Style& style, Mistake mistake,
             std::size_t index, std::size_t root_from) {
  const std::size_t width = trial.axis("hidden_size");
  const HalfElements weight(trial.input(variant.weight()).bytes, dtype);
  const HalfElements output(trial.output(0).bytes, dtype);
  const auto read_row = [&](std::size_t from) {
    const HalfElements hidden(trial.input(kHiddenStates).bytes, dtype);
    std::vector<float> row(width);
    for (std::size_t i = 0; i < width; ++i) {
      row[i] = hidden.get(from * width + i);
      if (variant.adds_residual && mistake != Mistake::no_residual) {
        row[i] += HalfElements(trial.input(kResidual).bytes, dtype).get(from * width + i);
      }
      row[i] = mistake == Mistake::rounded_sum ? rounded(row[i], dtype) : row[i];
    }
    return row;
  };
  std::vector<float> row = read_row(index);
  if (mistake == Mistake::subtracts_mean) {
    float mean = 0;
    for (const float value : row) {
      mean += value / static_cast<float>(width);
    }
    for (float& value : row) {
      value -= mean;
    }
  }
  const auto epsilon = static_cast<float>(variant.epsilon);
  const float sum = sum_of_squares(root_from == index ? row : read_row(root_from), dtype, style, mistake);
  const float square = mean_square(sum, width, epsilon, mistake);
  const float inverse = inverse_root(square, sum, width, epsilon, style, mistake);
  for (std::size_t i = 0; i < width; ++i) {
    if (mistake == Mistake::last_element_missing && i + 1 == width) {
      break;
    }
    float factor = weight.get(i);
    factor = mistake == Mistake::no_weight ? 1 : mistake == Mistake::one_plus_weight ? 1 + factor : factor;
    float value = style.divides ? row[i] / std::sqrt(square) : row[i] * inverse;
    value = mistake == Mistake::rounded_before_weight ? rounded(value, dtype) : value;
    value = style.weight_first ? row[i] * (inverse * factor) : value * factor;
    output.set(index * width + i, mistake == Mistake::truncated_output ? cut(value, dtype) : value);
  }
}

}  // namespace

void run_float32(OperatorTrial& trial, const Variant& variant, tensor::DType dtype, const Style& style,
                 Mistake mistake) {
  const std::size_t rows = trial.axis("batch_size");
  const HalfElements output(trial.output(0).bytes, dtype);
  if (mistake == Mistake::zeros || mistake == Mistake::copied_input) {
    const HalfElements hidden(trial.input(kHiddenStates).bytes, dtype);
    for (std::size_t i = 0; i < output.size(); ++i) {
      output.set(i, mistake == Mistake::zeros ? 0 : hidden.get(i));
    }
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    if (mistake != Mistake::last_row_missing || row + 1 < rows) {
      run_row(trial, variant, dtype, style, mistake, row, mistake == Mistake::root_of_first_row ? 0 : row);
    }
  }
}

}  // namespace assay::operators::rmsnorm
