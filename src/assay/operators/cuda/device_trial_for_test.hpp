#pragma once

#include <gtest/gtest.h>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <assay/device/cuda/driver.hpp>
#include <assay/operators/cuda/device_reference.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::cuda {

/// Test only: returns a result's value, or ends the program with its error.
template <class T>
T value_of(base::Result<T> result) {
  if (!result) {
    base::check_failed(result.error().text().c_str(), __FILE__, __LINE__);
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

/// Test only: a context, a stream and the reference of an operator, for suites whose name starts with Gpu.
class DeviceReferenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::cuda::has_device()) {
      GTEST_SKIP() << "no CUDA device here: references on a GPU are not held against the CPU's";
    }
    context_.emplace(value_of(device::cuda::Context::retain(0)));
    stream_.emplace(value_of(device::cuda::Stream::create()));
  }

  /// Computes a trial's expected values on the device, in memory that held NaN.
  std::vector<ExpectedValues> on_device(const DeviceReference& reference, OperatorTrial& trial) {
    using device::cuda::Memory;
    std::vector<Memory> memory;
    const auto allocate = [&](std::size_t bytes) {
      const std::size_t size = bytes == 0 ? 1 : bytes;
      memory.push_back(value_of(Memory::create(*context_, size)));
      value_of(device::cuda::check(value_of(device::cuda::open_driver())
                                       ->cuMemsetD8Async(memory.back().address(), 0xff, size, stream_->handle()),
                                   "cuMemsetD8Async"));
      return memory.back().address();
    };
    std::vector<DeviceArgument> inputs;
    for (const Argument& argument : trial.arguments()) {
      if (const auto* view = std::get_if<tensor::View>(&argument)) {
        const device::cuda::DevicePointer address = allocate(view->bytes.size());
        value_of(device::cuda::copy_to_device(address, view->bytes, *stream_));
        inputs.emplace_back(DeviceTensor{address, view->dtype, view->shape});
      } else {
        inputs.emplace_back(std::get<Scalar>(argument));
      }
    }
    const std::vector<std::size_t> elements = value_of(reference.expected_elements(trial.axes()));
    std::vector<device::cuda::DevicePointer> expected;
    for (const std::size_t count : elements) {
      expected.push_back(allocate(count * sizeof(double)));
    }
    const device::cuda::DevicePointer scratch = allocate(value_of(reference.scratch_bytes(trial.axes())));
    value_of(reference.enqueue(trial.axes(), inputs, expected, scratch, *stream_));
    std::vector<ExpectedValues> values;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      ExpectedValues& one = values.emplace_back(elements[i]);
      if (!one.empty()) {
        value_of(device::cuda::copy_from_device(std::as_writable_bytes(std::span(one)), expected[i], *stream_));
      }
    }
    value_of(stream_->synchronize());
    return values;
  }

  std::optional<device::cuda::Context> context_;
  std::optional<device::cuda::Stream> stream_;
};

/// Test only: says where two arrays differ by more than `bounds`, an entry a run of equally many elements; "" if nowhere.
inline std::string first_difference(std::span<const double> got, std::span<const double> expected,
                                    std::span<const double> bounds) {
  if (got.size() != expected.size()) {
    return std::to_string(got.size()) + " elements, not " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double bound = bounds[i / (got.size() / bounds.size())];
    if (!(std::fabs(got[i] - expected[i]) <= bound)) {
      return "element " + std::to_string(i) + " of " + std::to_string(got.size()) + ": " + std::to_string(got[i]) +
             ", not " + std::to_string(expected[i]) + "; the bound is " + std::to_string(bound);
    }
  }
  return "";
}

/// Test only: `relative` of the RMS of each run of `run` elements.
inline std::vector<double> bounds_of_rms(std::span<const double> expected, std::size_t run, double relative) {
  std::vector<double> bounds;
  for (std::size_t first = 0; first < expected.size(); first += run) {
    double sum = 0;
    for (const double value : expected.subspan(first, run)) {
      sum += value * value;
    }
    bounds.push_back(relative * std::sqrt(sum / static_cast<double>(run)));
  }
  return bounds;
}

}  // namespace assay::operators::cuda
