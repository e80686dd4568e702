#include <assay/operators/within.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>
#include <limits>

namespace assay::operators {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::optional<tensor::Mismatch> compare(const std::array<float, 4>& got, const std::array<double, 4>& expected) {
  const tensor::ConstView view{"y", tensor::DType::float32, {2, 2}, std::as_bytes(std::span(got))};
  return compare_within(view, expected, {}, [](std::size_t flat) { return flat == 3 ? 10.0 : 1.0; });
}

TEST(CompareWithin, EachElementHasItsOwnAllowance) {
  EXPECT_FALSE(compare({1, 2, 3, 4}, {1, 3, 2, 14}));
  const auto mismatch = compare({1, 2, 3, 4}, {1, 3.5, 2, 14.5});
  ASSERT_TRUE(mismatch);
  EXPECT_THAT(mismatch->index, testing::ElementsAre(0, 1));
  EXPECT_EQ(mismatch->mismatched_elements, 2U);
  EXPECT_THAT(mismatch->reason, testing::StartsWith("y[0, 1] is 2, expected 3.5 (allowed difference 1); 2 of 4"));
}

TEST(CompareWithin, TheWorstIsTheOneFurthestBeyondItsAllowance) {
  const auto mismatch = compare({0, 0, 0, 0}, {0, 0, 3, 20});
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->flat, 2U);
}

TEST(CompareWithin, SpecialValuesAreComparedByClass) {
  EXPECT_FALSE(compare({kNaN, kInfinity, -kInfinity, 0}, {static_cast<double>(kNaN), static_cast<double>(kInfinity),
                                                          -static_cast<double>(kInfinity), 0}));
  for (const float wrong : {kNaN, -kInfinity, 0.0F, 3e38F}) {
    EXPECT_TRUE(compare({0, wrong, 0, 0}, {0, static_cast<double>(kInfinity), 0, 0})) << static_cast<double>(wrong);
  }
  for (const float wrong : {kInfinity, -kInfinity, 0.0F}) {
    EXPECT_TRUE(compare({wrong, 0, 0, 0}, {static_cast<double>(kNaN), 0, 0, 0})) << static_cast<double>(wrong);
  }
  EXPECT_TRUE(compare({0, kNaN, 0, 0}, {0, 0, 0, 0}));
}

TEST(CompareWithin, NothingAllowedMeansEqual) {
  const std::array<float, 2> got = {1, 2};
  const tensor::ConstView view{"y", tensor::DType::float32, {2}, std::as_bytes(std::span(got))};
  EXPECT_FALSE(compare_within(view, std::array<double, 2>{1, 2}, {}, [](std::size_t) { return 0.0; }));
  EXPECT_TRUE(compare_within(view, std::array<double, 2>{1, 2 + 1e-15}, {}, [](std::size_t) { return 0.0; }));
}

}  // namespace
}  // namespace assay::operators
