#include <assay/stats/noise_floor.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace assay::stats {
namespace {

constexpr double kEffect = 0.01;
constexpr double kFloorAlpha = 0.05;

// One workload, one call a side and pair: the copy takes exp(ratio) times as long.
std::vector<PairedSample> session_of(const std::vector<double>& ratios) {
  std::vector<PairedSample> samples;
  for (std::size_t pair = 0; pair < ratios.size(); ++pair) {
    samples.push_back({static_cast<int>(pair), 0, false, 1000, 0});
    samples.push_back({static_cast<int>(pair), 0, true, 1000 * std::exp(ratios[pair]), 0});
  }
  return samples;
}

NoiseFloor self_of(const std::vector<double>& ratios) {
  return compare_with_itself(session_of(ratios), static_cast<int>(ratios.size()), 1, kFloorAlpha, kEffect);
}

PairedComparison gain_of(double share) {
  std::vector<double> ratios;
  for (const double wobble : {-1e-4, 0.0, 1e-4, 0.0}) {
    ratios.push_back(std::log1p(-share) + wobble);
  }
  return compare_pairs(session_of(ratios), 4, 1, {3, 4, kFloorAlpha, kEffect, 0}, 0.05);
}

TEST(NoiseFloor, TheFloorIsTheFartherBoundOfTheInterval) {
  const NoiseFloor self = self_of({0.01, -0.02, 0.03});
  EXPECT_EQ(self.pair_log_ratios.size(), 3U);
  EXPECT_NEAR(self.interval.mean, 0.02 / 3, 1e-9);
  EXPECT_NEAR(self.noise_floor, self.interval.upper, 1e-12);
  EXPECT_FALSE(self.failed) << "it cannot tell the two apart, as it should";
  EXPECT_NEAR(self_of({-0.01, 0.02, -0.03}).noise_floor, self.noise_floor, 1e-9) << "whichever side it lies on";
}

TEST(NoiseFloor, WithoutTwoPairsThereIsNoFloorToBeAbove) {
  for (const NoiseFloor& self : {self_of({}), self_of({0.0})}) {
    EXPECT_EQ(self.noise_floor, std::numeric_limits<double>::infinity());
    EXPECT_FALSE(self.failed);
    EXPECT_EQ(standing_of(gain_of(0.5), self), Standing::inside_noise);
  }
}

TEST(NoiseFloor, APairWithoutATimeIsLeftOut) {
  std::vector<PairedSample> samples = session_of({0.01, -0.01, 0.02});
  samples.back().pair = 7;  // The copy of the third pair is missing.
  EXPECT_EQ(compare_with_itself(samples, 3, 1, kFloorAlpha, kEffect).pair_log_ratios.size(), 2U);
}

TEST(NoiseFloor, AGainInsideTheNoiseIsTakenBackAndALargerOneStands) {
  const NoiseFloor self = self_of({0.02, -0.02, 0.02, -0.02});  // Two per cent of nothing: the floor is 3.7 %.
  PairedComparison small = gain_of(0.03);
  ASSERT_EQ(small.conclusion, PairedConclusion::better) << "by its own interval";
  EXPECT_EQ(standing_of(small, self), Standing::inside_noise);
  withdraw_unless_above_noise(small, self);
  EXPECT_EQ(small.conclusion, PairedConclusion::undecided);
  PairedComparison large = gain_of(0.08);
  withdraw_unless_above_noise(large, self);
  EXPECT_EQ(large.conclusion, PairedConclusion::better);
}

TEST(NoiseFloor, WhatIsNoGainIsLeftAsItIs) {
  PairedComparison slower = gain_of(-0.04);
  ASSERT_EQ(slower.conclusion, PairedConclusion::not_better);
  withdraw_unless_above_noise(slower, self_of({0.02, -0.02, 0.02, -0.02}));
  EXPECT_EQ(slower.conclusion, PairedConclusion::not_better);
}

TEST(NoiseFloor, ASessionThatTellsACopyApartConcludesNothing) {
  for (const double sign : {1.0, -1.0}) {
    const NoiseFloor self = self_of({0.030 * sign, 0.031 * sign, 0.029 * sign});
    EXPECT_TRUE(self.failed);
    for (const double share : {0.2, -0.2}) {
      PairedComparison comparison = gain_of(share);
      EXPECT_EQ(standing_of(comparison, self), Standing::void_session);
      withdraw_unless_above_noise(comparison, self);
      EXPECT_EQ(comparison.conclusion, PairedConclusion::undecided);
    }
  }
  EXPECT_FALSE(self_of({0.0050, 0.0051, 0.0049}).failed) << "less than the effect that counts";
}

// Placement as measured on one H200: 1 % from pair to pair. A sound session is void in fewer than alpha of all cases.
TEST(NoiseFloor, SoundSessionsAreSeldomVoid) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> placement(0, 0.01);
  int failed = 0;
  constexpr int kSessions = 4000;
  for (int session = 0; session < kSessions; ++session) {
    std::vector<double> ratios(4);
    for (double& ratio : ratios) {
      ratio = placement(random);
    }
    failed += self_of(ratios).failed ? 1 : 0;
  }
  EXPECT_LT(failed, kSessions * kFloorAlpha);
}

}  // namespace
}  // namespace assay::stats
