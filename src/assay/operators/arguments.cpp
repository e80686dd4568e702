#include <assay/operators/arguments.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>
#include <cstdint>
#include <variant>

#include <assay/tensor/comparison.hpp>

namespace assay::operators {

base::Result<std::span<const std::byte>> tensor_bytes(std::span<const ConstArgument> inputs, std::size_t position,
                                                      std::string_view name, tensor::DType dtype,
                                                      std::size_t elements) {
  const auto* view = position < inputs.size() ? std::get_if<tensor::ConstView>(&inputs[position]) : nullptr;
  if (view == nullptr || view->dtype != dtype || tensor::element_count(view->shape) != elements ||
      view->bytes.size() != tensor::byte_size(dtype, elements)) {
    return base::internal_error("operator.arguments", fmt::format("input {} ({}) must be a tensor of {} elements of {}",
                                                                  position, name, elements, tensor::to_string(dtype)));
  }
  return view->bytes;
}

base::Result<std::vector<double>> read_tensor(std::span<const ConstArgument> inputs, std::size_t position,
                                              std::string_view name, tensor::DType dtype, std::size_t elements) {
  ASSAY_TRY(tensor_bytes(inputs, position, name, dtype, elements));
  const auto& view = std::get<tensor::ConstView>(inputs[position]);
  std::vector<double> values(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    values[i] = tensor::element(view, i);
  }
  return values;
}

base::Result<double> read_scalar(std::span<const ConstArgument> inputs, std::size_t position, std::string_view name) {
  const auto* scalar = position < inputs.size() ? std::get_if<Scalar>(&inputs[position]) : nullptr;
  if (scalar == nullptr) {
    return base::internal_error("operator.arguments", fmt::format("input {} ({}) must be a scalar", position, name));
  }
  return std::visit([](auto value) { return static_cast<double>(value); }, *scalar);
}

std::vector<ConstArgument> read_only(std::span<const Argument> arguments) {
  std::vector<ConstArgument> result;
  for (const Argument& argument : arguments) {
    if (const auto* view = std::get_if<tensor::View>(&argument)) {
      result.emplace_back(tensor::as_const(*view));
    } else {
      result.emplace_back(std::get<Scalar>(argument));
    }
  }
  return result;
}

base::Result<std::size_t> axis_value(const task::AxisValues& axes, std::string_view name) {
  const std::int64_t* value = task::find(axes, name);
  if (value == nullptr || *value < 0) {
    return base::internal_error("operator.arguments", fmt::format("needs the axis {}, 0 or more", name));
  }
  return static_cast<std::size_t>(*value);
}

double workload_scalar(const task::Workload& workload, std::string_view name, double otherwise) {
  const task::InputSpec* spec = task::find(workload.inputs, name);
  const auto* scalar = spec == nullptr ? nullptr : std::get_if<task::ScalarInput>(spec);
  const double value = scalar == nullptr
                           ? otherwise
                           : std::visit([](auto number) { return static_cast<double>(number); }, scalar->value);
  return static_cast<double>(static_cast<float>(value));
}

Scalar changed_scale(const Scalar& scale) {
  const double value = std::visit([](auto number) { return static_cast<double>(number); }, scale);
  return Scalar(static_cast<double>(static_cast<float>(value == 0 ? 0.25 : value * 1.5)));
}

void resize_large(ExpectedValues& values, std::size_t count) {
  if (values.capacity() < count) {
    values = ExpectedValues();
    values.reserve(count);
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(values.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(values.data() + count) / page * page;
    if (end > begin) {
      static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
    }
  }
  values.resize(count);
}

}  // namespace assay::operators
