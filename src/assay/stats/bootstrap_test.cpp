#include <assay/stats/bootstrap.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::stats {
namespace {

std::vector<double> normals(std::uint64_t seed, std::size_t count) {
  base::Philox random(seed, base::stream_id("bootstrap_test"));
  std::vector<double> values(count);
  for (double& value : values) {
    value = random.next_normal();
  }
  return values;
}

TEST(Bootstrap, SameSeedGivesTheSameInterval) {
  const auto values = normals(1, 20);
  const auto first = bootstrap_mean(values, {.replicates = 500, .alpha = 0.05, .seed = 9});
  const auto again = bootstrap_mean(values, {.replicates = 500, .alpha = 0.05, .seed = 9});
  const auto other = bootstrap_mean(values, {.replicates = 500, .alpha = 0.05, .seed = 10});
  EXPECT_EQ(first.lower, again.lower);
  EXPECT_EQ(first.upper, again.upper);
  EXPECT_NE(first.lower, other.lower);
}

TEST(Bootstrap, EstimateIsThatOfTheUnitsAsTheyAre) {
  const std::vector<double> values{1, 2, 30};
  EXPECT_DOUBLE_EQ(bootstrap_mean(values, {}).estimate, 11);
  const UnitStatistic largest = [&values](std::span<const std::size_t> units) {
    double best = values[units[0]];
    for (const std::size_t unit : units) {
      best = std::max(best, values[unit]);
    }
    return best;
  };
  EXPECT_EQ(bootstrap_interval(3, largest, {}).estimate, 30);
  EXPECT_EQ(bootstrap_interval(3, largest, {}).upper, 30);
}

TEST(Bootstrap, OneUnitAndEqualUnitsHaveNoSpread) {
  const auto one = bootstrap_mean(std::vector<double>{4}, {.replicates = 10});
  EXPECT_EQ(one.lower, 4);
  EXPECT_EQ(one.upper, 4);
}

TEST(Bootstrap, WidthIsThatOfTheNormalTheoryForManyUnits) {
  const auto values = normals(3, 400);
  const auto interval = bootstrap_mean(values, {.replicates = 4000, .alpha = 0.05, .seed = 1});
  EXPECT_NEAR(interval.upper - interval.lower, 2 * 1.96 * standard_error(values), 0.01);
}

TEST(Bootstrap, CoversTheTruthNearlyAsOftenAsStated) {
  int covered = 0;
  constexpr int kRuns = 400;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const auto values = normals(100 + run, 30);
    const auto interval = bootstrap_mean(values, {.replicates = 400, .alpha = 0.1, .seed = run});
    covered += interval.lower <= 0 && 0 <= interval.upper ? 1 : 0;
  }
  EXPECT_GT(covered, kRuns * 0.83);
  EXPECT_LT(covered, kRuns * 0.96);
}

TEST(BootstrapDeathTest, NeedsUnitsAndReplicates) {
  EXPECT_DEATH(static_cast<void>(bootstrap_mean({}, {})), "unit_count > 0");
  EXPECT_DEATH(static_cast<void>(bootstrap_mean(std::vector<double>{1}, {.replicates = 0})), "replicates > 0");
}

RC_GTEST_PROP(BootstrapProperty, BoundsStayInsideTheDataAndMoveWithIt, (int seed)) {
  const auto values = normals(static_cast<std::uint64_t>(seed), static_cast<std::size_t>(*rc::gen::inRange(1, 20)));
  const BootstrapPlan plan{.replicates = 50, .alpha = 0.1, .seed = 4};
  const auto interval = bootstrap_mean(values, plan);
  RC_ASSERT(interval.lower <= interval.upper);
  RC_ASSERT(interval.lower >= *std::min_element(values.begin(), values.end()) - 1e-12);
  RC_ASSERT(interval.upper <= *std::max_element(values.begin(), values.end()) + 1e-12);
  std::vector<double> moved;
  for (const double value : values) {
    moved.push_back(2 * value - 5);
  }
  RC_ASSERT(std::abs(bootstrap_mean(moved, plan).lower - (2 * interval.lower - 5)) < 1e-9);
}

}  // namespace
}  // namespace assay::stats
