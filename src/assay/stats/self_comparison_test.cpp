#include <assay/stats/self_comparison.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/simulated_session.hpp>

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

SelfComparison self_of(const std::vector<double>& ratios) {
  return compare_with_itself(session_of(ratios), static_cast<int>(ratios.size()), 1, kFloorAlpha, kEffect);
}

PairedComparison gain_of(double share) {
  std::vector<double> ratios;
  for (const double wobble : {-1e-4, 0.0, 1e-4, 0.0}) {
    ratios.push_back(std::log1p(-share) + wobble);
  }
  return compare_pairs(session_of(ratios), 4, 1, {3, 4, kFloorAlpha, kEffect, 0}, 0.05);
}

TEST(SelfComparison, TheFloorIsTheFartherBoundOfTheInterval) {
  const SelfComparison self = self_of({0.01, -0.02, 0.03});
  EXPECT_EQ(self.pair_log_ratios.size(), 3U);
  EXPECT_NEAR(self.interval.mean, 0.02 / 3, 1e-9);
  EXPECT_NEAR(self.noise_floor, self.interval.upper, 1e-12);
  EXPECT_FALSE(self.failed) << "it cannot tell the two apart, as it should";
  EXPECT_NEAR(self_of({-0.01, 0.02, -0.03}).noise_floor, self.noise_floor, 1e-9) << "whichever side it lies on";
}

TEST(SelfComparison, WithoutTwoPairsThereIsNoFloorToBeAbove) {
  for (const SelfComparison& self : {self_of({}), self_of({0.0})}) {
    EXPECT_EQ(self.noise_floor, std::numeric_limits<double>::infinity());
    EXPECT_FALSE(self.failed);
    EXPECT_EQ(standing_of(gain_of(0.5), self), Standing::inside_noise);
  }
}

TEST(SelfComparison, APairWithoutATimeIsLeftOut) {
  std::vector<PairedSample> samples = session_of({0.01, -0.01, 0.02});
  samples.back().pair = 7;  // The copy of the third pair is missing.
  EXPECT_EQ(compare_with_itself(samples, 3, 1, kFloorAlpha, kEffect).pair_log_ratios.size(), 2U);
}

TEST(SelfComparison, AGainInsideTheNoiseIsTakenBackAndALargerOneStands) {
  const SelfComparison self = self_of({0.02, -0.02, 0.02, -0.02});  // Two per cent of nothing: the floor is 3.7 %.
  PairedComparison small = gain_of(0.03);
  ASSERT_EQ(small.conclusion, PairedConclusion::better) << "by its own interval";
  EXPECT_EQ(standing_of(small, self), Standing::inside_noise);
  withdraw_unless_above_noise(small, self);
  EXPECT_EQ(small.conclusion, PairedConclusion::undecided);
  PairedComparison large = gain_of(0.08);
  withdraw_unless_above_noise(large, self);
  EXPECT_EQ(large.conclusion, PairedConclusion::better);
}

TEST(SelfComparison, WhatIsNoGainIsLeftAsItIs) {
  PairedComparison slower = gain_of(-0.04);
  ASSERT_EQ(slower.conclusion, PairedConclusion::not_better);
  withdraw_unless_above_noise(slower, self_of({0.02, -0.02, 0.02, -0.02}));
  EXPECT_EQ(slower.conclusion, PairedConclusion::not_better);
}

TEST(SelfComparison, ASessionThatTellsACopyApartConcludesNothing) {
  for (const double sign : {1.0, -1.0}) {
    const SelfComparison self = self_of({0.030 * sign, 0.031 * sign, 0.029 * sign});
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
TEST(SelfComparison, SoundSessionsAreSeldomVoid) {
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

std::vector<double> self_pairs(std::uint64_t seed, int pairs) {
  SimulatedSession session({}, 0, 2, 3, seed);
  std::vector<PairedSample> samples;
  for (int pair = 0; pair < pairs; ++pair) {
    const auto more = session.next_pair();
    samples.insert(samples.end(), more.begin(), more.end());
  }
  return tabulate(samples, pairs, 2).pair_log_ratios;
}

// Over all looks of a session, with the noise that was measured; at the smallest effect that any policy asks for.
TEST(SelfComparison, SoundSessionsAreVoidedAtSomeLookLessOftenThanStated) {
  constexpr int kRuns = 400;
  int biased = 0;
  int failed = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const std::vector<double> ratios = self_pairs(run, 30);
    biased += judge_self_comparison(ratios, kFloorAlpha, 0).biased ? 1 : 0;
    bool at_some_look = false;
    for (std::size_t pairs = 3; pairs <= ratios.size(); ++pairs) {
      const std::vector<double> first(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(pairs));
      at_some_look = at_some_look || judge_self_comparison(first, kFloorAlpha, 0.005).failed;
    }
    failed += at_some_look ? 1 : 0;
  }
  const double most = kFloorAlpha * kRuns + 3 * std::sqrt(kFloorAlpha * kRuns);
  EXPECT_LE(biased, most);
  EXPECT_LE(failed, most);
}

// What the interval cannot say for the outliers in it.
TEST(SelfComparison, ASideThatIsAlwaysFavouredVoidsTheSession) {
  std::vector<double> ratios = self_pairs(1, 40);
  for (double& ratio : ratios) {
    ratio += 0.03;  // The second process of each pair finds the caches warm.
  }
  ratios[3] = -2;
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> turned = ratios;
    std::transform(turned.begin(), turned.end(), turned.begin(), [&](double ratio) { return sign * ratio; });
    const SelfComparison self = judge_self_comparison(turned, kFloorAlpha, kEffect);
    EXPECT_TRUE(self.biased);
    EXPECT_TRUE(self.failed);
    EXPECT_LT(self.interval.lower, 0);
    EXPECT_GT(self.interval.upper, 0);
  }
}

// One that is favoured by less than what counts does no harm: no gain within the floor is believed.
TEST(SelfComparison, AFavourBelowTheEffectIsLeftToTheNoiseFloor) {
  std::vector<double> ratios = self_pairs(1, 40);
  const double mean = t_interval(ratios, kFloorAlpha).mean;
  for (double& ratio : ratios) {
    ratio += 0.004 - mean;
  }
  const SelfComparison self = judge_self_comparison(ratios, kFloorAlpha, kEffect);
  EXPECT_FALSE(self.failed);
  EXPECT_GE(self.noise_floor, 0.004);
}

TEST(PairsToFind, AgreesWithSimulatedTests) {
  base::Philox random(8, base::stream_id("pairs_to_find"));
  for (const double spread : {0.004, 0.012, 0.02}) {
    constexpr double kBeyond = 0.01;
    const PairedRule rule{
        .minimum_pairs = 3, .maximum_pairs = 400, .alpha = 0.05, .minimum_effect = 0.002, .test = PairedTest::evidence};
    constexpr std::size_t kRuns = 300;
    std::vector<int> taken(kRuns);
    for (int& pairs : taken) {
      std::vector<double> ratios(400);
      std::generate(ratios.begin(), ratios.end(),
                    [&] { return std::log1p(-0.002) - kBeyond + spread * random.next_normal(); });
      pairs = decide_paired(ratios, rule).pairs_used;
    }
    std::sort(taken.begin(), taken.end());
    const double simulated = taken[kRuns * 95 / 100];
    EXPECT_NEAR(pairs_to_find(kBeyond, spread, 0.05) / simulated, 1, 0.25) << spread;
  }
}

}  // namespace
}  // namespace assay::stats
