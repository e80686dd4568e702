#include <assay/stats/waiting.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

TEST(WaitingLevelOn, IsAskedForWhereWorkersSleep) {
  EXPECT_EQ(waiting_level_on("cpu"), 0.001);
  EXPECT_EQ(waiting_level_on("cuda:0"), 0);
  EXPECT_EQ(waiting_level_on("simulated"), 0);
  EXPECT_EQ(waiting_level_on("no device"), 0);
}

constexpr int kWorkloads = 2;

// How busy a machine is: each call waits 60 us, and `delayed` of them some slices of 3 ms as well, which hit the calls of a
// process together: two thirds of its share is drawn for the process.
struct Machine {
  double delayed = 0;
};

// Calls of 0.13, 1.2 ms … by the incumbent. The candidate's truly take `real` times as long and report `told` times.
struct Kernel {
  double real = 1;
  double told = 1;
};

std::vector<PairedSample> observe(const Machine& machine, const Kernel& kernel, int pairs, int calls,
                                  base::Philox& random) {
  std::vector<PairedSample> samples;
  for (int pair = 0; pair < pairs; ++pair) {
    for (const bool candidate : {true, false}) {
      const double share = machine.delayed * (1.0 / 3 + 4.0 / 3 * random.next_uniform());
      for (int workload = 0; workload < kWorkloads; ++workload) {
        for (int call = 0; call < calls; ++call) {
          const double base = (workload == 0 ? 130e3 : 1.2e6) * (1 + 0.002 * random.next_normal());
          const double slices = random.next_uniform() < share ? 1 + static_cast<double>(random.next_below(3)) : 0;
          const double waited = 60e3 + 20e3 * random.next_uniform() + 3e6 * slices;
          samples.push_back({pair, workload, candidate, base * (candidate ? kernel.told : 1),
                             base * (candidate ? kernel.real : 1) + waited});
        }
      }
    }
  }
  return samples;
}

// The policy quick, for a kernel that its own clock calls better from the first look on: how many of 1,000 are accused.
int accused(const Machine& machine, const Kernel& kernel, double waiting_level) {
  base::Philox random(5, base::stream_id("waiting"));
  PairedRule rule{.minimum_pairs = 3, .maximum_pairs = 5, .alpha = 0.05, .minimum_effect = 0.02};
  rule.waiting_level = waiting_level;
  int count = 0;
  for (int run = 0; run < 1000; ++run) {
    const auto samples = observe(machine, kernel, 5, 2, random);
    const PairedComparison comparison = compare_pairs(samples, 5, kWorkloads, rule, 10);
    EXPECT_EQ(comparison.decision.conclusion, PairedConclusion::better);
    if (comparison.testimony == Testimony::contradicted) {
      ++count;
    }
    if (comparison.testimony != Testimony::confirmed) {
      EXPECT_NE(comparison.conclusion, PairedConclusion::better) << "what is excused is not believed";
    }
  }
  return count;
}

TEST(WaitingExplains, AnHonestGainOnABusyMachineIsNotAccused) {
  for (const double delayed : {0.2, 0.4, 0.6}) {
    const Machine busy{delayed};
    EXPECT_LE(accused(busy, {0.9, 0.9}, 0.001), 1) << delayed;
    EXPECT_LE(accused(busy, {0.4, 0.4}, 0.001), 1) << delayed;
  }
  EXPECT_GE(accused({0.6}, {0.9, 0.9}, 0), 10) << "without it, one in a hundred: this is what it is for";
}

TEST(WaitingExplains, HiddenWorkOnAQuietMachineIsAccusedAsBefore) {
  EXPECT_EQ(accused({0}, {1, 0.1}, 0.001), 1000) << "nine tenths of 0.13 and 1.2 ms";
  EXPECT_GE(accused({0}, {3, 0.9}, 0.001), 999) << "a kernel that is slower and says it is faster";
  const Machine ticking{0.01};
  EXPECT_GE(accused(ticking, {3, 0.9}, 0.001), 0.8 * accused(ticking, {3, 0.9}, 0)) << "of some 900; a tick saves few";
}

TEST(WaitingExplains, WhoWasExcusedOnceIsConfirmedAtNoLaterLook) {
  base::Philox random(4, 1);
  PairedRule rule{.minimum_pairs = 3, .maximum_pairs = 12, .alpha = 0.05, .minimum_effect = 0.02};
  const auto lie = observe({}, {1, 0.9}, 3, 4, random);  // Within what waking up explains.
  auto samples = observe({}, {0.2, 0.9}, 12, 4, random);
  for (PairedSample& sample : samples) {
    sample.pair += sample.pair < 3 ? 100 : 0;
  }
  std::erase_if(samples, [](const PairedSample& sample) { return sample.pair >= 100; });
  samples.insert(samples.end(), lie.begin(), lie.end());
  EXPECT_EQ(compare_pairs(samples, 3, kWorkloads, rule, 10).testimony, Testimony::contradicted);
  EXPECT_EQ(hear_witness(samples, 12, kWorkloads, alpha_per_look(rule)), Testimony::confirmed);
  rule.waiting_level = 0.001;
  EXPECT_EQ(compare_pairs(samples, 3, kWorkloads, rule, 10).testimony, Testimony::unclear);
  EXPECT_EQ(compare_pairs(samples, 12, kWorkloads, rule, 10).testimony, Testimony::unclear);
}

TEST(WaitingExplains, AnAccusationNeedsFourPairsAndEveryCell) {
  base::Philox random(1, 1);
  auto samples = observe({}, {1, 0.1}, 4, 3, random);
  EXPECT_FALSE(waiting_explains(samples, 4, kWorkloads, 0.001));
  EXPECT_TRUE(waiting_explains(samples, 3, kWorkloads, 0.001));
  EXPECT_TRUE(waiting_explains(samples, 4, kWorkloads + 1, 0.001)) << "a workload without calls";
  EXPECT_TRUE(waiting_explains({}, 0, 0, 0.001));
}

TEST(WaitingExplains, OneThatIsHonestInSomeOfItsCallsIsStillAccused) {
  base::Philox random(2, 1);
  auto samples = observe({}, {1, 0.1}, 6, 8, random);
  int index = 0;
  for (PairedSample& sample : samples) {
    if (sample.candidate && ++index % 8 == 0) {
      sample.elapsed_ns *= 10;
    }
  }
  EXPECT_FALSE(waiting_explains(samples, 6, kWorkloads, 0.001));
}

TEST(WaitingExplains, WhatIsHiddenWithinWakingUpAccusesNobody) {
  base::Philox random(3, 1);
  const auto samples = observe({}, {1, 0.9}, 6, 6, random);  // 13 and 120 us.
  EXPECT_TRUE(waiting_explains(samples, 6, kWorkloads, 0.001));
}

TEST(ChanceOfAllDelayed, IsFishersExactTest) {
  EXPECT_NEAR(chance_of_all_delayed(6, 6, 0), 1.0 / 924, 1e-12);
  EXPECT_NEAR(chance_of_all_delayed(3, 3, 1), 4.0 / 20, 1e-12);
  EXPECT_DOUBLE_EQ(chance_of_all_delayed(5, 7, 7), 1);
  EXPECT_DOUBLE_EQ(chance_of_all_delayed(0, 7, 2), 1);
  EXPECT_NEAR(chance_of_all_delayed(4, 0, 0), 1, 1e-12) << "nothing is known of the machine";
}

TEST(ChanceOfAllDelayed, IsExceededByTheInnocentNoMoreOftenThanItSays) {
  base::Philox random(9, 1);
  for (const double delayed : {0.2, 0.5, 0.8}) {
    int accused = 0;
    for (int run = 0; run < 20000; ++run) {
      int all = 0;
      int known = 0;
      for (int call = 0; call < 6; ++call) {
        all += random.next_uniform() < delayed ? 1 : 0;
        known += random.next_uniform() < delayed ? 1 : 0;
      }
      accused += all == 6 && chance_of_all_delayed(6, 6, known) <= 0.02 ? 1 : 0;
    }
    EXPECT_LE(accused, 400) << delayed;
  }
}

}  // namespace
}  // namespace assay::stats
