#include <assay/tensor/official_comparison.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace assay::tensor {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

std::optional<Mismatch> compare_values(const std::vector<float>& got, const std::vector<double>& expected,
                                       double absolute = 1e-2, double relative = 1e-2, double ratio = 1) {
  return compare_officially(
      {"y", DType::float32, {static_cast<std::int64_t>(got.size())}, std::as_bytes(std::span(got))}, expected, absolute,
      relative, ratio);
}

TEST(OfficialComparison, AnElementIsWrongOnlyBeyondBothTolerances) {
  EXPECT_FALSE(compare_values({0.0F}, {0.009}));    // Zeros pass where everything is small.
  EXPECT_FALSE(compare_values({1009.0F}, {1000}));  // 1 % off passes however large.
  EXPECT_FALSE(compare_values({1.009F}, {1.0}));
  const auto wrong = compare_values({1.0F, 1.05F, 0.5F}, {1.0, 1.0, 0.6});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->flat, 2U);
  EXPECT_EQ(wrong->mismatched_elements, 2U);
  EXPECT_THAT(wrong->reason, testing::HasSubstr("y[2] is 0.5, expected 0.6; 2 of 3"));
}

TEST(OfficialComparison, AShareMayBeAnything) {
  const std::vector<double> expected(10, 1.0);
  std::vector<float> got(10, 1.0F);
  got[3] = 77;
  EXPECT_TRUE(compare_values(got, expected));
  EXPECT_FALSE(compare_values(got, expected, 1, 0.3, 0.9));
  got[4] = 77;
  EXPECT_TRUE(compare_values(got, expected, 1, 0.3, 0.9));
}

TEST(OfficialComparison, WhatIsNotFiniteFailsButAReferenceThatIsNotFinitePassesAnything) {
  EXPECT_TRUE(compare_values({std::numeric_limits<float>::quiet_NaN()}, {kNan}));
  EXPECT_TRUE(compare_values({-std::numeric_limits<float>::infinity()}, {-kUnbounded}));
  EXPECT_TRUE(compare_values({std::numeric_limits<float>::infinity()}, {1.0}, 1, 1, 0));
  EXPECT_FALSE(compare_values({5.0F}, {kNan}));
}

TEST(OfficialComparison, IntegersAreHeldToTheSameTolerance) {
  const std::vector<std::int32_t> got = {1009, 5};
  const std::vector<double> expected = {1000, 5};
  EXPECT_FALSE(compare_officially({"i", DType::int32, {2}, std::as_bytes(std::span(got))}, expected, 1e-2, 1e-2, 1));
}

}  // namespace
}  // namespace assay::tensor
