#include <assay/operators/cuda/device_code.hpp>

#include <fmt/format.h>
#include <limits>

namespace assay::operators::cuda {

base::Result<device::cuda::DevicePointer> device_address(std::span<const DeviceArgument> inputs, std::size_t position,
                                                         std::string_view name, tensor::DType dtype,
                                                         std::size_t elements) {
  const auto* tensor = position < inputs.size() ? std::get_if<DeviceTensor>(&inputs[position]) : nullptr;
  if (tensor == nullptr || tensor->dtype != dtype || tensor::element_count(tensor->shape) != elements ||
      (tensor->address == 0 && elements != 0)) {
    return base::internal_error(
        "operator.arguments", fmt::format("input {} ({}) must be a tensor of {} elements of {} on the device", position,
                                          name, elements, tensor::to_string(dtype)));
  }
  return tensor->address;
}

base::Result<double> device_scalar(std::span<const DeviceArgument> inputs, std::size_t position,
                                   std::string_view name) {
  const auto* scalar = position < inputs.size() ? std::get_if<Scalar>(&inputs[position]) : nullptr;
  if (scalar == nullptr) {
    return base::internal_error("operator.arguments", fmt::format("input {} ({}) must be a scalar", position, name));
  }
  return std::visit([](auto value) { return static_cast<double>(value); }, *scalar);
}

base::Result<void> check_counts(std::string_view definition, std::span<const DeviceArgument> inputs,
                                std::size_t input_count, std::span<const device::cuda::DevicePointer> expected,
                                std::size_t expected_count) {
  if (inputs.size() != input_count || expected.size() != expected_count) {
    return base::internal_error("operator.arguments",
                                fmt::format("{} on a GPU needs {} inputs and {} arrays of "
                                            "expected values, not {} and {}",
                                            definition, input_count, expected_count, inputs.size(), expected.size()));
  }
  return {};
}

base::Result<unsigned> blocks_for(std::size_t count, std::size_t size) {
  const std::size_t blocks = count == 0 ? 1 : (count + size - 1) / size;
  if (blocks > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return base::internal_error("operator.arguments", fmt::format("{} blocks are more than a grid can have", blocks));
  }
  return static_cast<unsigned>(blocks);
}

}  // namespace assay::operators::cuda
