#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/device/cuda/device_comparison.hpp>
#include <assay/tensor/comparison.hpp>
#include <assay/tensor/view.hpp>

namespace assay::operators::cuda {

/// Test only: an output, what is expected, and a rule, as likely right as wrong, often at the edge of the rule.
struct ComparisonCase {
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape;
  tensor::ComparisonRule rule;
  std::vector<double> expected;
  std::vector<std::byte> bytes;

  [[nodiscard]] tensor::ConstView view() const { return {"y", dtype, shape, bytes}; }
  [[nodiscard]] bool is_right() const { return !tensor::compare(view(), expected, rule).has_value(); }
};

/// Test only: the case of an index. Of every floating type that can be compared; up to some thousand elements; NaN and
/// infinities, zeros, values whose squares underflow or overflow; errors at 1 +- 1e-12 to 1 +- 1e-3 of the tolerance.
[[nodiscard]] ComparisonCase draw_case(std::uint64_t seed, std::uint64_t index);
/// Test only: the same of integers and booleans.
[[nodiscard]] ComparisonCase draw_integer_case(std::uint64_t seed, std::uint64_t index);

/// Test only: what the device computes, on this CPU: pieces of blocks, combined in another order.
[[nodiscard]] device::cuda::CompareTotals emulate(const ComparisonCase& one, const device::cuda::DeviceRule& rule);

}  // namespace assay::operators::cuda
