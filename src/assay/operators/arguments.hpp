#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators {

/// Returns the bytes of a tensor argument of a reference. An argument that is none, or not of this type and this many
/// elements, is an internal error: the caller checked the workload. `name` is the argument's, for the message.
[[nodiscard]] base::Result<std::span<const std::byte>> tensor_bytes(std::span<const ConstArgument> inputs,
                                                                    std::size_t position, std::string_view name,
                                                                    tensor::DType dtype, std::size_t elements);

/// Reads a whole tensor argument of any floating or integer type as doubles.
[[nodiscard]] base::Result<std::vector<double>> read_tensor(std::span<const ConstArgument> inputs, std::size_t position,
                                                            std::string_view name, tensor::DType dtype,
                                                            std::size_t elements);

/// Reads a scalar argument as a double.
[[nodiscard]] base::Result<double> read_scalar(std::span<const ConstArgument> inputs, std::size_t position,
                                               std::string_view name);

/// Returns the arguments that a generator filled as a reference may see them.
[[nodiscard]] std::vector<ConstArgument> read_only(std::span<const Argument> arguments);

/// Returns the value of an axis; one that is missing or negative is an internal error.
[[nodiscard]] base::Result<std::size_t> axis_value(const task::AxisValues& axes, std::string_view name);

/// Returns a scalar of the workload as the candidate gets it, rounded to float32; `otherwise` if the workload has none.
[[nodiscard]] double workload_scalar(const task::Workload& workload, std::string_view name, double otherwise);

/// Returns a factor of the results (a scale), changed enough to show, as a float32 holds it: one half more, or 0.25 for a
/// 0, which may stand for a usual value.
[[nodiscard]] Scalar changed_scale(const Scalar& scale);

/// Bytes of a tensor argument that a generator fills.
[[nodiscard]] inline std::span<std::byte> bytes_of(std::span<Argument> arguments, std::size_t position) {
  return std::get<tensor::View>(arguments[position]).bytes;
}

/// A tensor argument's elements as what they are stored as.
template <class T>
[[nodiscard]] std::span<T> elements_of(std::span<Argument> arguments, std::size_t position) {
  const std::span<std::byte> bytes = bytes_of(arguments, position);
  return {static_cast<T*>(static_cast<void*>(bytes.data())), bytes.size() / sizeof(T)};
}

/// Writes, or reads, element `index` of a tensor of trivially copyable elements. Checked.
template <class T>
void store(std::span<std::byte> bytes, std::size_t index, T value) {
  ASSAY_CHECK((index + 1) * sizeof(T) <= bytes.size());
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}
template <class T>
[[nodiscard]] T load(std::span<const std::byte> bytes, std::size_t index) {
  ASSAY_CHECK((index + 1) * sizeof(T) <= bytes.size());
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Makes room for `count` values, and asks for huge pages where there was none: with small ones the faults of a large
/// output take longer than the arithmetic. Advice only; whether it is followed changes nothing but the time.
void resize_large(ExpectedValues& values, std::size_t count);

}  // namespace assay::operators
