#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/workload.hpp>
#include <assay/tensor/dtype.hpp>
#include <assay/tensor/shape.hpp>

/// References on a GPU, for judges whose inputs and outputs lie in device memory: expected values are computed where they
/// are compared, and nothing crosses the bus while all is well. They are written apart from the CPU's and held against
/// them by tests; what looks wrong is fetched and judged by the CPU's.
namespace assay::operators::cuda {

/// One argument of a call whose tensors lie in the judge's device memory.
struct DeviceTensor {
  device::cuda::DevicePointer address = 0;  ///< Of the first element, aligned to 64 bytes.
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape;  ///< Row-major, contiguous.
};
using DeviceArgument = std::variant<DeviceTensor, Scalar>;

/// A plain reference on a GPU. Its kernels are of the context that was current when it was made, and that context has to
/// be current wherever it is used. Arguments are in the definition's order; those that do not fit the definition
/// are internal errors: the caller checked the workload. What only the tensors' contents can break (offsets that fall)
/// is not looked at: they are the judge's own.
class DeviceReference {
 public:
  virtual ~DeviceReference() = default;
  /// Returns how many doubles a call leaves in each array of expected values: one array an output, in the definition's
  /// order, each row-major; behind them what the operator keeps for a comparison (its folder's layout.hpp or its
  /// maker below says what).
  [[nodiscard]] virtual base::Result<std::vector<std::size_t>> expected_elements(
      const task::AxisValues& axes) const = 0;
  /// Returns the bytes of device scratch that a call needs; 0 is possible.
  [[nodiscard]] virtual base::Result<std::size_t> scratch_bytes(const task::AxisValues& axes) const = 0;
  /// Enqueues the work and returns; afterwards in stream order expected[i] holds the double-precision values.
  /// `expected` and `scratch` are aligned to 64 bytes; all of expected[i] is written, whatever it held.
  [[nodiscard]] virtual base::Result<void> enqueue(const task::AxisValues& axes, std::span<const DeviceArgument> inputs,
                                                   std::span<const device::cuda::DevicePointer> expected,
                                                   device::cuda::DevicePointer scratch,
                                                   const device::cuda::Stream& stream) const = 0;
};

/// Makes the reference of a definition in the current context; nullptr if there is none. An environment error if this
/// build holds no GPU code, or if the driver refuses it.
[[nodiscard]] base::Result<std::unique_ptr<DeviceReference>> make_device_reference(std::string_view definition_name);

}  // namespace assay::operators::cuda
