#include <assay/operators/cuda/device_check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
#include <optional>

#include <assay/operators/cuda/comparison_cases_for_test.hpp>

namespace assay::operators::cuda {
namespace {

using device::cuda::CompareTotals;
using device::cuda::DeviceRule;

constexpr std::uint64_t kSeed = 20;
constexpr std::uint64_t kCases = 6000;

bool same_bits_or_nan(double x, double y) { return std::isnan(x) ? std::isnan(y) : std::memcmp(&x, &y, sizeof x) == 0; }

TEST(ElementFormat, ReadsEveryNarrowNumberAsTensorsDo) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    ASSERT_TRUE(same_bits_or_nan(device::cuda::float16_value(half), static_cast<double>(tensor::from_float16(half))))
        << bits;
    ASSERT_TRUE(same_bits_or_nan(device::cuda::bfloat16_value(half), static_cast<double>(tensor::from_bfloat16(half))))
        << bits;
  }
  for (std::uint32_t bits = 0; bits < 0x100U; ++bits) {
    const auto byte = static_cast<std::uint8_t>(bits);
    ASSERT_TRUE(same_bits_or_nan(device::cuda::float8_e4m3fn_value(byte),
                                 static_cast<double>(tensor::from_float8_e4m3fn(byte))))
        << bits;
    ASSERT_TRUE(
        same_bits_or_nan(device::cuda::float8_e5m2_value(byte), static_cast<double>(tensor::from_float8_e5m2(byte))))
        << bits;
  }
}

TEST(ElementFormat, OfEveryTypeWhoseElementsAreWholeBytes) {
  for (const std::string_view name : tensor::dtype_names()) {
    const tensor::DType dtype = *tensor::parse_dtype(name);
    const auto format = element_format(dtype);
    EXPECT_EQ(format.has_value(), tensor::has_storage(dtype) && tensor::bits(dtype) >= 8) << name;
    if (format) {
      EXPECT_EQ(device::cuda::element_bytes(*format) * 8, tensor::bits(dtype)) << name;
      EXPECT_EQ(device::cuda::is_floating(*format), tensor::is_floating(dtype)) << name;
    }
  }
}

TEST(ElementFormat, ReadsIntegersAsTensorsDo) {
  for (std::uint64_t index = 0; index < 50; ++index) {
    const ComparisonCase one = draw_integer_case(kSeed, index);
    for (std::size_t at = 0; at < one.expected.size(); ++at) {
      ASSERT_EQ(static_cast<double>(device::cuda::read_integer(*element_format(one.dtype), one.bytes.data(), at)),
                tensor::element(one.view(), at));
    }
  }
}

TEST(DeviceRule, BlocksAreThoseOfTheLeadingAxes) {
  const tensor::ComparisonRule rule{.relative = 1, .absolute_of_rms = 2, .norm = 3, .norm_axes = 2};
  const DeviceRule device = device_rule(rule, {4, 5, 6});
  EXPECT_EQ(device.block_elements, 6U);
  EXPECT_EQ(device.relative, 1);
  EXPECT_EQ(device.absolute_of_rms, 2);
  EXPECT_EQ(device.norm, 3);
  EXPECT_EQ(device_rule({}, {4, 5, 6}).block_elements, 120U);
  EXPECT_EQ(device_rule({.norm_axes = 1}, {4}).block_elements, 1U);
}

// The promise of the whole: "surely right" only if the CPU's comparison finds nothing.
TEST(DeviceComparison, WhatIsSurelyRightIsRight) {
  std::size_t right = 0;
  std::size_t sure = 0;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const ComparisonCase one = draw_case(kSeed, index);
    const DeviceRule rule = device_rule(one.rule, one.shape);
    const bool is_right = one.is_right();
    const bool is_sure = device::cuda::surely_right(emulate(one, rule), rule);
    ASSERT_TRUE(is_right || !is_sure) << "case " << index;
    right += is_right ? 1U : 0U;
    sure += is_sure ? 1U : 0U;
  }
  EXPECT_GT(right, kCases / 4);
  EXPECT_LT(right, 3 * kCases / 4);
  EXPECT_GT(sure, 2 * right / 3) << "only what is close to the edge of a rule, or loses its squares, may be in doubt";
  EXPECT_LT(sure, right) << "some cases must be close";
}

// As the mixture of experts holds its rows: each by itself.
TEST(DeviceComparison, RowsByThemselvesAreHeldLikeTensors) {
  std::size_t sure = 0;
  for (std::uint64_t index = 0; index < kCases / 4; ++index) {
    const ComparisonCase one = draw_case(kSeed + 1, index);
    const std::size_t rows = one.shape.size() == 1 ? 1 : static_cast<std::size_t>(one.shape[0]);
    const std::size_t width = one.expected.size() / rows;
    DeviceRule rule = device_rule(one.rule, one.shape);
    rule.block_elements = width;
    rule.rms_of_block = 1;
    bool all_right = true;
    const std::size_t row_bytes = one.bytes.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      tensor::ComparisonRule row_rule = one.rule;
      row_rule.norm_axes = 0;
      const tensor::ConstView view{"row",
                                   one.dtype,
                                   {static_cast<std::int64_t>(width)},
                                   std::span(one.bytes).subspan(row * row_bytes, row_bytes)};
      all_right = all_right &&
                  !tensor::compare(view, std::span(one.expected).subspan(row * width, width), row_rule).has_value();
    }
    const bool is_sure = device::cuda::surely_right(emulate(one, rule), rule);
    ASSERT_TRUE(all_right || !is_sure) << "case " << index;
    sure += is_sure ? 1U : 0U;
  }
  EXPECT_GT(sure, kCases / 40);
}

TEST(DeviceComparison, IntegersAreRightIfAndOnlyIfTheyAreEqual) {
  for (std::uint64_t index = 0; index < 500; ++index) {
    const ComparisonCase one = draw_integer_case(kSeed, index);
    const DeviceRule rule = device_rule(one.rule, one.shape);
    EXPECT_EQ(device::cuda::surely_right(emulate(one, rule), rule), one.is_right()) << index;
  }
}

TEST(DeviceComparison, ARuleOfNonsenseIsNeverSure) {
  ComparisonCase one = draw_case(kSeed, 1);
  for (const double value : {std::nan(""), -1.0}) {
    for (double DeviceRule::* const member : {&DeviceRule::relative, &DeviceRule::absolute_of_rms, &DeviceRule::norm}) {
      DeviceRule rule{.relative = 1, .absolute_of_rms = 1, .norm = 1, .block_elements = one.expected.size()};
      rule.*member = value;
      EXPECT_FALSE(device::cuda::surely_right(emulate(one, rule), rule));
    }
  }
}

class GpuDeviceComparison : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::cuda::has_device()) {
      GTEST_SKIP() << "no CUDA device here: the comparison is not tried on one";
    }
    context_.emplace(std::move(device::cuda::Context::retain(0).value()));
    auto kernels = device::cuda::TrustedKernels::load(*context_);
    ASSERT_TRUE(kernels) << kernels.error().text();
    kernels_.emplace(std::move(*kernels));
    stream_.emplace(std::move(device::cuda::Stream::create().value()));
    memory_.emplace(std::move(device::cuda::Memory::create(*context_, std::size_t{64} << 20U).value()));
  }

  device::cuda::Comparison compare(const ComparisonCase& one, const DeviceRule& rule) {
    const device::cuda::DevicePointer expected = memory_->address() + (std::size_t{32} << 20U);
    EXPECT_TRUE(device::cuda::copy_to_device(memory_->address(), one.bytes, *stream_));
    EXPECT_TRUE(device::cuda::copy_to_device(expected, std::as_bytes(std::span(one.expected)), *stream_));
    const auto found = kernels_->compare(
        {memory_->address(), *element_format(one.dtype), expected, one.expected.size(), rule}, *stream_);
    EXPECT_TRUE(found) << found.error().text();
    return *found;
  }

  /// Sums may differ in their last bits; all else may not.
  static void expect_agreement(const CompareTotals& device, const CompareTotals& here, std::uint64_t index) {
    const auto near = [&](double x, double y) {
      EXPECT_TRUE(x == y || std::fabs(x - y) <= 1e-12 * std::fabs(y) + 1e-300 || (std::isnan(x) && std::isnan(y)))
          << index << ": " << x << " " << y;
    };
    near(device.sums.error_square, here.sums.error_square);
    near(device.sums.expected_square, here.sums.expected_square);
    EXPECT_EQ(device.sums.largest_absolute, here.sums.largest_absolute) << index;
    EXPECT_EQ(device.sums.largest_relative, here.sums.largest_relative) << index;
    EXPECT_EQ(device.sums.finite, here.sums.finite) << index;
    EXPECT_EQ(device.sums.mismatches, here.sums.mismatches) << index;
    EXPECT_EQ(device.sums.differing, here.sums.differing) << index;
  }

  std::optional<device::cuda::Context> context_;
  std::optional<device::cuda::TrustedKernels> kernels_;
  std::optional<device::cuda::Stream> stream_;
  std::optional<device::cuda::Memory> memory_;
};

TEST_F(GpuDeviceComparison, WhatIsSurelyRightIsRight) {
  std::size_t sure = 0;
  std::size_t right = 0;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const ComparisonCase one = draw_case(kSeed, index);
    const DeviceRule rule = device_rule(one.rule, one.shape);
    const auto found = compare(one, rule);
    const bool is_right = one.is_right();
    ASSERT_TRUE(is_right || !found.surely_right) << "case " << index;
    expect_agreement(found.totals, emulate(one, rule), index);
    right += is_right ? 1U : 0U;
    sure += found.surely_right ? 1U : 0U;
  }
  EXPECT_GT(sure, 3 * right / 4);
}

TEST_F(GpuDeviceComparison, IntegersAreExactAndTheFirstWrongOneIsNamed) {
  for (std::uint64_t index = 0; index < 500; ++index) {
    const ComparisonCase one = draw_integer_case(kSeed, index);
    const auto found = compare(one, device_rule(one.rule, one.shape));
    const auto mismatch = tensor::compare(one.view(), one.expected, one.rule);
    ASSERT_EQ(found.surely_right, !mismatch.has_value()) << index;
    if (mismatch) {
      EXPECT_EQ(found.wrong, mismatch->mismatched_elements);
      EXPECT_EQ(found.first_wrong, mismatch->flat) << "one alone is wrong";
    }
  }
}

TEST_F(GpuDeviceComparison, WrongElementsAreCountedAndTheFirstIsNamed) {
  ComparisonCase one;
  one.shape = {1 << 20};
  one.rule = {.relative = 1e-3, .absolute_of_rms = 1e-3, .norm = HUGE_VAL, .norm_axes = 0};
  one.expected.assign(std::size_t{1} << 20U, 1.0);
  std::vector<float> values(one.expected.size(), 1.0F);
  for (const std::size_t wrong : {123'456U, 200'000U, 999'999U}) {
    values[wrong] = 1.01F;
  }
  one.bytes.assign(std::as_bytes(std::span(values)).begin(), std::as_bytes(std::span(values)).end());
  const auto found = compare(one, device_rule(one.rule, one.shape));
  EXPECT_FALSE(found.surely_right);
  EXPECT_EQ(found.wrong, 3U);
  EXPECT_EQ(found.first_wrong, 123'456U);
  EXPECT_NEAR(found.totals.sums.largest_absolute, 0.01, 1e-6);
}

TEST_F(GpuDeviceComparison, OneWrongBlockOfManyIsNotHidden) {
  ComparisonCase one;
  one.shape = {1000, 500};
  one.rule = {.relative = 1, .absolute_of_rms = 1, .norm = 1e-2, .norm_axes = 1};
  one.expected.assign(500'000, 1.0);
  std::vector<float> values(one.expected.size(), 1.0F);
  const auto judge = [&] {
    one.bytes.assign(std::as_bytes(std::span(values)).begin(), std::as_bytes(std::span(values)).end());
    return compare(one, device_rule(one.rule, one.shape));
  };
  EXPECT_TRUE(judge().surely_right);
  for (std::size_t i = 0; i < 500; ++i) {
    values[777 * 500 + i] = 1.02F;
  }
  const auto found = judge();
  EXPECT_FALSE(found.surely_right);
  EXPECT_EQ(found.totals.norm_unsure, 1U);
  EXPECT_NEAR(found.totals.worst_norm, 0.02, 1e-6);
  EXPECT_EQ(found.wrong, 0U);
}

}  // namespace
}  // namespace assay::operators::cuda
