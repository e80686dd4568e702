#include <assay/stats/simulated_session.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <utility>

#include <assay/stats/quantile.hpp>

namespace assay::stats {
namespace {

// A world in which nothing varies, to which a test adds one thing.
TimingNoise still() {
  TimingNoise noise;
  noise.session = noise.drift = noise.process = noise.placement = noise.misplaced = noise.call = noise.spikes = 0;
  return noise;
}

double deviation(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  return std::sqrt((squares - sum * sum / count) / (count - 1));
}

std::vector<double> pair_log_ratios(const TimingNoise& noise, double log_ratio, int pairs, std::uint64_t seed) {
  constexpr int kWorkloads = 2;
  constexpr int kSamples = 3;
  SimulatedSession session(noise, log_ratio, kWorkloads, kSamples, seed);
  std::vector<PairedSample> samples;
  for (int pair = 0; pair < pairs; ++pair) {
    const auto more = session.next_pair();
    samples.insert(samples.end(), more.begin(), more.end());
  }
  return tabulate(samples, pairs, kWorkloads).pair_log_ratios;
}

TEST(SimulatedSession, WithoutNoiseItSaysTheEffectAndNothingElse) {
  SimulatedSession session(still(), std::log(0.9), 3, 2, 1);
  for (const PairedSample& sample : session.next_pair()) {
    EXPECT_NEAR(sample.elapsed_ns, 1e4 * (sample.workload + 1) * (sample.candidate ? 0.9 : 1), 1e-6);
    EXPECT_EQ(sample.witness_ns, 0) << "there is no second clock";
  }
  for (const double ratio : pair_log_ratios(still(), -0.05, 4, 2)) {
    EXPECT_NEAR(ratio, -0.05, 1e-12);
  }
}

RC_GTEST_PROP(SimulatedSessionProperty, EveryCellIsFullAndTheTwoSidesLieNextToEachOther, ()) {
  const int workloads = *rc::gen::inRange(1, 6);
  const int count = *rc::gen::inRange(1, 6);
  SimulatedSession session({}, 0, workloads, count, *rc::gen::arbitrary<std::uint64_t>());
  for (int pair = 0; pair < 3; ++pair) {
    const auto samples = session.next_pair();
    RC_ASSERT(samples.size() == static_cast<std::size_t>(2 * workloads * count));
    std::map<std::pair<int, bool>, int> cells;
    for (std::size_t i = 0; i < samples.size(); i += 2) {
      RC_ASSERT(samples[i].workload == samples[i + 1].workload);
      RC_ASSERT(samples[i].candidate != samples[i + 1].candidate);
      for (const PairedSample& sample : {samples[i], samples[i + 1]}) {
        RC_ASSERT(sample.pair == pair);
        RC_ASSERT(std::isfinite(sample.elapsed_ns) && sample.elapsed_ns > 0);
        ++cells[{sample.workload, sample.candidate}];
      }
    }
    RC_ASSERT(std::all_of(cells.begin(), cells.end(), [&](const auto& cell) { return cell.second == count; }));
  }
}

RC_GTEST_PROP(SimulatedSessionProperty, TheSeedDecidesEverything, (std::uint64_t seed)) {
  const auto ratios = pair_log_ratios({}, 0, 3, seed);
  RC_ASSERT(ratios == pair_log_ratios({}, 0, 3, seed));
  RC_ASSERT(ratios != pair_log_ratios({}, 0, 3, seed + 1));
}

TEST(SimulatedSession, NeitherSideAlwaysComesFirst) {
  SimulatedSession session(still(), 0, 1, 200, 3);
  const auto samples = session.next_pair();
  int candidate_first = 0;
  for (std::size_t i = 0; i < samples.size(); i += 2) {
    candidate_first += samples[i].candidate ? 1 : 0;
  }
  EXPECT_NEAR(candidate_first, 100, 35);  // Five deviations of a fair coin.
}

// What a whole session shares cancels in a pair, so that ratios of sessions do not scatter by it; times do.
TEST(SimulatedSession, WhatASessionSharesMovesTimesAndNoRatio) {
  TimingNoise noise = still();
  noise.session = 0.035;
  std::vector<double> logs;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SimulatedSession session(noise, 0, 1, 1, seed);
    const auto samples = session.next_pair();
    EXPECT_DOUBLE_EQ(samples[0].elapsed_ns, samples[1].elapsed_ns);
    logs.push_back(std::log(samples[0].elapsed_ns));
  }
  EXPECT_NEAR(deviation(logs), 0.035, 0.006);
}

// Of two processes with the same code the ratio scatters by √2 times what one is placed by; more calls do not help.
TEST(SimulatedSession, PlacementIsSteadyInAPairAndFreshInTheNext) {
  TimingNoise noise = still();
  noise.process = 0.005;
  EXPECT_NEAR(deviation(pair_log_ratios(noise, 0, 600, 4)), std::sqrt(2) * 0.005, 0.001);
  noise.process = 0;
  noise.placement = 0.006;  // Two workloads, each with its own placement.
  EXPECT_NEAR(deviation(pair_log_ratios(noise, 0, 600, 5)), 0.006, 0.001);
  SimulatedSession session(noise, 0, 1, 5, 6);
  const auto samples = session.next_pair();
  for (const PairedSample& sample : samples) {
    EXPECT_TRUE(sample.candidate != samples[0].candidate || sample.elapsed_ns == samples[0].elapsed_ns);
  }
}

TEST(SimulatedSession, ABadlyPlacedProcessIsSlowerAndNeverFaster) {
  TimingNoise noise = still();
  noise.misplaced = 0.25;
  SimulatedSession session(noise, 0, 1, 1, 7);
  int slower = 0;
  for (int pair = 0; pair < 500; ++pair) {
    for (const PairedSample& sample : session.next_pair()) {
      EXPECT_GE(sample.elapsed_ns, 1e4 * (1 - 1e-12));
      slower += sample.elapsed_ns > 1e4 * (1 + 1e-9) ? 1 : 0;
    }
  }
  EXPECT_NEAR(slower, 250, 70);
}

TEST(SimulatedSession, SpikesAreRareAndLarge) {
  TimingNoise noise = still();
  noise.spikes = 0.05;
  SimulatedSession session(noise, 0, 1, 2000, 8);
  std::vector<double> excess;
  for (const PairedSample& sample : session.next_pair()) {
    if (const double log_time = std::log(sample.elapsed_ns / 1e4); log_time > 1e-9) {
      excess.push_back(log_time);
    }
  }
  EXPECT_NEAR(static_cast<double>(excess.size()), 200, 70);
  EXPECT_NEAR(median(excess), std::log(2), 0.25);  // Of an exponential variable with mean 1.
}

// The stationary deviation is what was asked for however long the memory is; neighbours differ little.
TEST(SimulatedSession, DriftIsSlowAndStaysInItsBounds) {
  TimingNoise noise = still();
  noise.drift = 0.01;
  noise.drift_memory = 0.9;
  SimulatedSession session(noise, 0, 1, 5000, 9);
  std::vector<double> logs;
  std::vector<double> steps;
  for (const PairedSample& sample : session.next_pair()) {
    logs.push_back(std::log(sample.elapsed_ns / 1e4));
    if (logs.size() > 1) {
      steps.push_back(logs.back() - logs[logs.size() - 2]);
    }
  }
  EXPECT_NEAR(deviation(logs), 0.01, 0.002);
  EXPECT_NEAR(deviation(steps), 0.01 * std::sqrt(2 * (1 - 0.9)), 0.0005);
}

TEST(SimulatedSessionDeathTest, RefusesASessionWithoutCallsAndADriftThatNeverForgets) {
  TimingNoise noise;
  EXPECT_DEATH(SimulatedSession(noise, 0, 0, 1, 1), "workloads > 0");
  EXPECT_DEATH(SimulatedSession(noise, 0, 1, 0, 1), "samples_per_pair > 0");
  noise.drift_memory = 1;
  EXPECT_DEATH(SimulatedSession(noise, 0, 1, 1, 1), "drift_memory");
}

}  // namespace
}  // namespace assay::stats
