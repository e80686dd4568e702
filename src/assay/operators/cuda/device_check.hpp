#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <assay/base/error.hpp>
#include <assay/device/cuda/trusted_kernels.hpp>
#include <assay/operators/cuda/device_reference.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::cuda {

/// What the device can say about the outputs of a call. Never a verdict against a candidate: what is not surely right is
/// fetched, and Operator::compare decides.
struct DeviceVerdict {
  bool surely_right = false;  ///< Operator::compare would find nothing in any output.
  std::string doubt;          ///< What is not surely right, for logs; empty if all is.
  /// How far the floating outputs are from what is expected, where the check measures that.
  std::optional<tensor::LargestErrors> errors = std::nullopt;
};

/// One call to be checked.
struct DeviceCheckInput {
  const task::AxisValues& axes;
  std::span<const DeviceArgument> inputs;                 ///< In the definition's order.
  std::span<const DeviceTensor> outputs;                  ///< Likewise; what the candidate left.
  std::span<const device::cuda::DevicePointer> expected;  ///< What DeviceReference::enqueue left for these inputs.
  device::cuda::DevicePointer scratch = 0;                ///< scratch_bytes of it, aligned to 256 bytes.
};

/// Holds outputs against a DeviceReference's values without moving them.
class DeviceCheck {
 public:
  virtual ~DeviceCheck() = default;
  [[nodiscard]] virtual base::Result<std::size_t> scratch_bytes(const task::AxisValues& axes) const = 0;
  /// Enqueues the work, and the copy of what it finds to `result`: pinned memory of kResultBytes an output.
  [[nodiscard]] virtual base::Result<void> enqueue(const DeviceCheckInput& call, device::cuda::TrustedKernels& kernels,
                                                   const device::cuda::Stream& stream,
                                                   std::span<std::byte> result) const = 0;
  /// The answer about these outputs, once the stream has been waited for, whatever has been enqueued since.
  [[nodiscard]] virtual DeviceVerdict read(std::span<const DeviceTensor> outputs,
                                           std::span<const std::byte> result) const = 0;
  static constexpr std::size_t kResultBytes = device::cuda::TrustedKernels::kTotalsBytes;
  /// Both, with a wait between them.
  [[nodiscard]] base::Result<DeviceVerdict> check(const DeviceCheckInput& call, device::cuda::TrustedKernels& kernels,
                                                  const device::cuda::Stream& stream) const;
};

/// Makes the check of an operator in the current context: of its own kind, or by the rule of each output where
/// Operator::compare goes by that. nullptr where neither is written yet: then the CPU compares. `op` outlives it.
[[nodiscard]] base::Result<std::unique_ptr<DeviceCheck>> make_device_check(const Operator& op);

/// How the trusted kernels read elements of this type; nullopt if they cannot (float4_e2m1, and what has no storage).
[[nodiscard]] std::optional<device::cuda::ElementFormat> element_format(tensor::DType dtype);

/// A rule over a tensor of this shape. The norm's blocks are those of its leading axes.
[[nodiscard]] device::cuda::DeviceRule device_rule(const tensor::ComparisonRule& rule, const tensor::Shape& shape);

}  // namespace assay::operators::cuda
