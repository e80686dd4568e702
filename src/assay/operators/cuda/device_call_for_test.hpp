#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/device/cuda/trusted_kernels.hpp>
#include <assay/operators/cuda/device_check.hpp>
#include <assay/operators/cuda/device_trial_for_test.hpp>

namespace assay::operators::cuda {

/// Test only: a trial's inputs and outputs on the device, the reference's values there, and the check.
class DeviceCall {
 public:
  DeviceCall(const device::cuda::Context& context, const device::cuda::Stream& stream, OperatorTrial& trial,
             const DeviceReference& reference, const DeviceCheck& check)
      : context_(&context), stream_(&stream), trial_(&trial), check_(&check) {
    for (const Argument& argument : trial.arguments()) {
      if (const auto* view = std::get_if<tensor::View>(&argument)) {
        const DeviceTensor tensor{allocate(view->bytes.size()), view->dtype, view->shape};
        value_of(device::cuda::copy_to_device(tensor.address, view->bytes, stream));
        inputs_.emplace_back(tensor);
      } else {
        inputs_.emplace_back(std::get<Scalar>(argument));
      }
    }
    for (std::size_t i = 0; i < trial.output_count(); ++i) {
      const tensor::View& view = trial.output(i);
      outputs_.push_back({allocate(view.bytes.size()), view.dtype, view.shape});
    }
    elements_ = value_of(reference.expected_elements(trial.axes()));
    for (const std::size_t count : elements_) {
      expected_.push_back(allocate(count * sizeof(double)));
    }
    const auto scratch = allocate(value_of(reference.scratch_bytes(trial.axes())));
    value_of(reference.enqueue(trial.axes(), inputs_, expected_, scratch, stream));
    check_scratch_ = allocate(value_of(check.scratch_bytes(trial.axes())));
    value_of(stream.synchronize());
  }

  /// What the reference left.
  [[nodiscard]] std::vector<double> expected(std::size_t position) const {
    std::vector<double> values(elements_[position]);
    if (!values.empty()) {
      value_of(
          device::cuda::copy_from_device(std::as_writable_bytes(std::span(values)), expected_[position], *stream_));
    }
    value_of(stream_->synchronize());
    return values;
  }

  /// Copies the trial's outputs as they are now, and asks the check.
  [[nodiscard]] DeviceVerdict judge(device::cuda::TrustedKernels& kernels) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      value_of(device::cuda::copy_to_device(outputs_[i].address, trial_->output(i).bytes, *stream_));
    }
    return value_of(check_->check({trial_->axes(), inputs_, outputs_, expected_, check_scratch_}, kernels, *stream_));
  }

 private:
  device::cuda::DevicePointer allocate(std::size_t bytes) {
    memory_.push_back(value_of(device::cuda::Memory::create(*context_, bytes == 0 ? 1 : bytes)));
    return memory_.back().address();
  }

  const device::cuda::Context* context_;
  const device::cuda::Stream* stream_;
  OperatorTrial* trial_;
  const DeviceCheck* check_;
  std::vector<device::cuda::Memory> memory_;
  std::vector<DeviceArgument> inputs_;
  std::vector<DeviceTensor> outputs_;
  std::vector<std::size_t> elements_;
  std::vector<device::cuda::DevicePointer> expected_;
  device::cuda::DevicePointer check_scratch_ = 0;
};

/// Test only: a context with the trusted kernels, and what an operator has on it.
class DeviceCallTest : public DeviceReferenceTest {
 protected:
  void SetUp() override {
    DeviceReferenceTest::SetUp();
    if (!IsSkipped()) {
      kernels_.emplace(value_of(device::cuda::TrustedKernels::load(*context_)));
    }
  }

  struct Parts {
    std::unique_ptr<DeviceReference> reference;
    std::unique_ptr<DeviceCheck> check;
  };
  static Parts parts_of(const Operator& op) {
    Parts parts{value_of(make_device_reference(op.definition_name())), value_of(make_device_check(op))};
    EXPECT_NE(parts.reference, nullptr);
    EXPECT_NE(parts.check, nullptr);
    return parts;
  }

  std::optional<device::cuda::TrustedKernels> kernels_;
};

}  // namespace assay::operators::cuda
