#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/supervise/trend.hpp>

namespace assay::supervise {
namespace {

TEST(TrendTest, OfThreeValuesEachOrderHasASixth) {
  EXPECT_DOUBLE_EQ(decline_probability({3, 2, 1}), 1.0 / 6);
  EXPECT_DOUBLE_EQ(decline_probability({3, 1, 2}), 3.0 / 6) << "two inversions or more: 321, 312, 231";
  EXPECT_DOUBLE_EQ(decline_probability({1, 2, 3}), 1);
}

TEST(TrendTest, FewerThanTwoValuesSayNothing) {
  EXPECT_EQ(decline_probability({}), 1);
  EXPECT_EQ(decline_probability({5}), 1);
}

TEST(TrendTest, EqualValuesAreNoDecline) { EXPECT_EQ(decline_probability({2, 2, 2, 2, 2, 2}), 1); }

TEST(TrendTest, AgreesWithCountingAllOrdersOfSix) {
  std::vector<double> order{1, 2, 3, 4, 5, 6};
  const std::vector<double> asked{6, 4, 5, 2, 3, 1};
  const auto falling = [](const std::vector<double>& values) {
    int pairs = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        pairs += values[j] < values[i] ? 1 : 0;
      }
    }
    return pairs;
  };
  int as_many = 0;
  int all = 0;
  do {
    as_many += falling(order) >= falling(asked) ? 1 : 0;
    ++all;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_NEAR(decline_probability(asked), static_cast<double>(as_many) / all, 1e-12);
}

TEST(TrendTest, RandomOrdersAreRarelyImprobable) {
  constexpr int kTrendRuns = 2000;
  int rejected = 0;
  for (int run = 0; run < kTrendRuns; ++run) {
    base::Philox random(7, static_cast<std::uint64_t>(run));
    std::vector<double> values(24);
    std::generate(values.begin(), values.end(), [&] { return random.next_normal(); });
    rejected += decline_probability(values) <= 0.05 ? 1 : 0;
  }
  EXPECT_LE(rejected, 0.065 * kTrendRuns);
  EXPECT_GE(rejected, 0.03 * kTrendRuns) << "an exact test uses what it may";
}

TEST(TrendTest, SixtyFourFallingValuesAreNotLostToRounding) {
  std::vector<double> values(64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = -static_cast<double>(i);
  }
  EXPECT_GT(decline_probability(values), 0);
  EXPECT_LT(decline_probability(values), 1e-80);
}

}  // namespace
}  // namespace assay::supervise
