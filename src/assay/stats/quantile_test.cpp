#include <assay/stats/quantile.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace assay::stats {
namespace {

std::vector<double> some_values(std::size_t minimum) {
  const auto whole = *rc::gen::suchThat(rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000)),
                                        [minimum](const auto& values) { return values.size() >= minimum; });
  return {whole.begin(), whole.end()};
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(values, 1.0 / 3), 20);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 38.5);
}

TEST(Quantile, MedianOfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{7}), 7);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{9, 1, 5, 6}), 5.5);
}

TEST(Quantile, EqualInfinitiesDoNotBecomeNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(median(std::vector<double>{infinity, infinity}), infinity);
}

TEST(Mean, IsExactForRepeatedValues) {
  const std::vector<double> values(7, 0.1);
  EXPECT_EQ(mean(values), 0.1);
  EXPECT_EQ(standard_error(values), 0);
}

TEST(Mean, StandardErrorDividesByOneLess) {
  // Sum of squares 10 about the mean 3, n = 5: s² = 2.5, s² / n = 0.5.
  EXPECT_DOUBLE_EQ(standard_error(std::vector<double>{1, 2, 3, 4, 5}), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(mean(std::vector<double>{1, 2, 3, 4, 5}), 3);
}

TEST(QuantileDeathTest, RefusesEmptyAndNan) {
  EXPECT_DEATH(static_cast<void>(median({})), "empty");
  EXPECT_DEATH(static_cast<void>(mean({})), "empty");
  EXPECT_DEATH(static_cast<void>(median(std::vector<double>{1, std::nan("")})), "isnan");
  EXPECT_DEATH(static_cast<void>(quantile(std::vector<double>{1}, 1.5)), "probability");
  EXPECT_DEATH(static_cast<void>(standard_error(std::vector<double>{1})), "size");
}

RC_GTEST_PROP(QuantileProperty, IgnoresTheOrder, ()) {
  auto values = some_values(1);
  const double probability = static_cast<double>(*rc::gen::inRange(0, 101)) / 100;
  const double before = quantile(values, probability);
  std::sort(values.begin(), values.end());
  RC_ASSERT(quantile(values, probability) == before);
}

RC_GTEST_PROP(QuantileProperty, GrowsWithTheProbabilityAndStaysInside, ()) {
  const auto values = some_values(1);
  const int low = *rc::gen::inRange(0, 101);
  const int high = *rc::gen::inRange(low, 101);
  const double at_low = quantile(values, low / 100.0);
  const double at_high = quantile(values, high / 100.0);
  RC_ASSERT(at_low <= at_high + 1e-9);
  RC_ASSERT(at_low >= *std::min_element(values.begin(), values.end()));
  RC_ASSERT(at_high <= *std::max_element(values.begin(), values.end()));
}

RC_GTEST_PROP(QuantileProperty, FollowsShiftAndScale, ()) {
  const auto values = some_values(2);
  const double probability = static_cast<double>(*rc::gen::inRange(0, 101)) / 100;
  std::vector<double> moved;
  for (const double value : values) {
    moved.push_back(3 * value + 17);
  }
  RC_ASSERT(std::abs(quantile(moved, probability) - (3 * quantile(values, probability) + 17)) < 1e-9);
  RC_ASSERT(std::abs(mean(moved) - (3 * mean(values) + 17)) < 1e-9);
  RC_ASSERT(std::abs(standard_error(moved) - 3 * standard_error(values)) < 1e-9);
}

}  // namespace
}  // namespace assay::stats
