#include <assay/stats/repeat_noise.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

using Groups = std::vector<std::vector<double>>;

TEST(RepeatNoise, PoolsTheScatterWithinGroupsAboutTheirOwnMeans) {
  // Sums of squares 2 and 8 with 1 and 2 degrees of freedom; the group of one says nothing.
  const RepeatNoise noise = pooled_noise(Groups{{1, 3}, {100, 102, 104}, {7}});
  EXPECT_DOUBLE_EQ(noise.sigma, std::sqrt(10.0 / 3));
  EXPECT_EQ(noise.degrees, 3);
  EXPECT_EQ(noise.groups, 2);
  EXPECT_DOUBLE_EQ(noise.largest_range, 4);
}

TEST(RepeatNoise, WithoutRepeatsThereAreNoDegreesOfFreedom) {
  EXPECT_EQ(pooled_noise(Groups{{1}, {2}}).degrees, 0);
  EXPECT_EQ(pooled_noise(Groups{}).sigma, 0);
  EXPECT_EQ(root_mean_square({}), 0);
}

TEST(RepeatNoise, RootMeanSquareOfPairs) {
  EXPECT_DOUBLE_EQ(root_mean_square(std::vector<double>{3, -4}), std::sqrt(12.5));
}

TEST(RepeatNoise, IntervalsAgreeWithTheTablesOfChiSquared) {
  // Quantiles of chi-squared with 10 degrees of freedom at 0.025 and 0.975, from printed tables: 3.247 and 20.483.
  const NoiseInterval interval = sigma_interval(1, 10, 0.05);
  EXPECT_NEAR(interval.lower, std::sqrt(10 / 20.483), 1e-4);
  EXPECT_NEAR(interval.upper, std::sqrt(10 / 3.247), 1e-3);
}

TEST(RepeatNoise, IntervalsHoldTheTruthAsOftenAsTheySay) {
  base::Philox random(20261130, 0);
  constexpr int kRuns = 4000;
  int held = 0;
  int inside = 0;
  for (int run = 0; run < kRuns; ++run) {
    Groups groups(4, std::vector<double>(3));
    for (std::vector<double>& group : groups) {
      for (double& value : group) {
        value = 5 + 2 * random.next_normal();
      }
    }
    const RepeatNoise noise = pooled_noise(groups);
    const NoiseInterval interval = sigma_interval(noise.sigma, noise.degrees, 0.05);
    held += interval.lower <= 2 && 2 <= interval.upper ? 1 : 0;
    inside += std::abs(2 * (random.next_normal() - random.next_normal())) < difference_band(2) ? 1 : 0;
  }
  EXPECT_NEAR(held / double{kRuns}, 0.95, 0.015);
  EXPECT_NEAR(inside / double{kRuns}, 0.95, 0.015);
}

}  // namespace
}  // namespace assay::stats
