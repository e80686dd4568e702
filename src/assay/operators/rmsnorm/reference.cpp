#include <assay/operators/rmsnorm/reference.hpp>

#include <cmath>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>

namespace assay::operators::rmsnorm {
namespace {

double read_value(std::span<const std::byte> bytes, std::size_t index, tensor::DType dtype) {
  const auto bits = load<std::uint16_t>(bytes, index);
  return static_cast<double>(dtype == tensor::DType::float16 ? tensor::from_float16(bits)
                                                             : tensor::from_bfloat16(bits));
}

}  // namespace

base::Result<void> compute_reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                     const Variant& variant, tensor::DType dtype,
                                     std::vector<ExpectedValues>& outputs) {
  ASSAY_TRY_ASSIGN(const std::size_t rows, axis_value(axes, "batch_size"));
  ASSAY_TRY_ASSIGN(const std::size_t width, axis_value(axes, "hidden_size"));
  ASSAY_TRY_ASSIGN(const auto hidden_states, tensor_bytes(inputs, kHiddenStates, "hidden_states", dtype, rows * width));
  std::span<const std::byte> residual;
  if (variant.adds_residual) {
    ASSAY_TRY_ASSIGN(residual, tensor_bytes(inputs, kResidual, "residual", dtype, rows * width));
  }
  ASSAY_TRY_ASSIGN(const auto weight, tensor_bytes(inputs, variant.weight(), "weight", dtype, width));
  outputs.resize(1);
  resize_large(outputs[0], rows * width);
  ExpectedValues& output = outputs[0];
  base::parallel_for(rows, [&](std::size_t row) {
    double square = 0;
    for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
      // The sum of two 16-bit numbers has at most 53 digits in float16 and, but for wild exponents, in bfloat16.
      output[i] = read_value(hidden_states, i, dtype) + (residual.empty() ? 0 : read_value(residual, i, dtype));
      square += output[i] * output[i];
    }
    const double inverse = 1 / std::sqrt(square / static_cast<double>(width) + variant.epsilon);
    for (std::size_t i = 0; i < width; ++i) {
      output[row * width + i] *= inverse * read_value(weight, i, dtype);
    }
  });
  return {};
}

}  // namespace assay::operators::rmsnorm
