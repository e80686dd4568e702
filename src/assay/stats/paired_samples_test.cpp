#include <assay/stats/paired_samples.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsNan;
using ::testing::SizeIs;

constexpr double kTolerance = 1e-12;

void add(std::vector<PairedSample>& samples, int pair, int workload, std::vector<double> candidate,
         std::vector<double> incumbent) {
  for (const double ns : candidate) {
    samples.push_back({pair, workload, true, ns});
  }
  for (const double ns : incumbent) {
    samples.push_back({pair, workload, false, ns});
  }
}

std::vector<PairedSample> session(const std::vector<std::vector<double>>& log_ratios_of_pairs) {
  std::vector<PairedSample> samples;
  for (std::size_t pair = 0; pair < log_ratios_of_pairs.size(); ++pair) {
    for (std::size_t workload = 0; workload < log_ratios_of_pairs[pair].size(); ++workload) {
      add(samples, static_cast<int>(pair), static_cast<int>(workload),
          {1000 * std::exp(log_ratios_of_pairs[pair][workload])}, {1000});
    }
  }
  return samples;
}

PairedTable table_of(int workloads, const std::vector<std::vector<double>>& log_ratios_of_pairs) {
  return tabulate(session(log_ratios_of_pairs), static_cast<int>(log_ratios_of_pairs.size()), workloads);
}

TEST(Tabulate, TakesMediansPerPairAndWorkload) {
  std::vector<PairedSample> samples;
  add(samples, 0, 0, {90, 100, 5000}, {200, 200, 200});  // 100 / 200
  add(samples, 0, 1, {300, 500}, {400});                 // 400 / 400
  add(samples, 1, 0, {100}, {100});
  add(samples, 1, 1, {800}, {400});
  const PairedTable table = tabulate(samples, 2, 2);
  EXPECT_THAT(table.log_ratio, ElementsAre(DoubleNear(std::log(0.5), kTolerance), DoubleNear(0, kTolerance),
                                           DoubleNear(0, kTolerance), DoubleNear(std::log(2), kTolerance)));
  EXPECT_THAT(table.pair_log_ratios,
              ElementsAre(DoubleNear(std::log(0.5) / 2, kTolerance), DoubleNear(std::log(2) / 2, kTolerance)));
  EXPECT_THAT(table.candidate_ns, ElementsAre(100, 500));  // over both pairs: {90,100,5000,100}, {300,500,800}
  EXPECT_THAT(table.incumbent_ns, ElementsAre(200, 400));
}

TEST(Tabulate, MarksWhatIsMissing) {
  std::vector<PairedSample> samples;
  add(samples, 0, 0, {100}, {100});
  add(samples, 0, 1, {100}, {});
  add(samples, 1, 0, {100}, {100});
  add(samples, 1, 1, {50}, {100});
  const PairedTable table = tabulate(samples, 3, 2);
  EXPECT_THAT(table.log_ratio[1], IsNan());
  EXPECT_THAT(table.pair_log_ratios, ElementsAre(IsNan(), DoubleNear(std::log(0.5) / 2, kTolerance), IsNan()));
  EXPECT_THAT(table.of_workload(1), ElementsAre(DoubleNear(std::log(0.5), kTolerance)));
  EXPECT_THAT(table.of_workload(0), SizeIs(2));
}

TEST(Tabulate, LeavesLaterPairsOut) {
  std::vector<PairedSample> samples;
  add(samples, 0, 0, {100}, {100});
  add(samples, 1, 0, {900}, {100});
  const PairedTable table = tabulate(samples, 1, 1);
  EXPECT_THAT(table.pair_log_ratios, ElementsAre(0));
  EXPECT_THAT(table.candidate_ns, ElementsAre(100));
}

TEST(Tabulate, CountsATimeOfZeroAsMissing) {
  std::vector<PairedSample> samples;
  add(samples, 0, 0, {0}, {100});
  add(samples, 1, 0, {std::numeric_limits<double>::quiet_NaN()}, {100});
  const PairedTable table = tabulate(samples, 2, 1);
  EXPECT_THAT(table.pair_log_ratios, ElementsAre(IsNan(), IsNan()));
  EXPECT_THAT(table.of_workload(0), SizeIs(0));
}

TEST(Tabulate, OfNothingIsEmptyOrMissing) {
  EXPECT_THAT(tabulate({}, 0, 0).pair_log_ratios, SizeIs(0));
  EXPECT_THAT(tabulate({}, 1, 0).pair_log_ratios, ElementsAre(IsNan()));
  EXPECT_THAT(tabulate({}, 0, 2).candidate_ns, ElementsAre(IsNan(), IsNan()));
}

TEST(TabulateDeathTest, RefusesIndicesOutOfRange) {
  const std::vector<PairedSample> workload{{0, 1, true, 1}};
  EXPECT_DEATH(static_cast<void>(tabulate(workload, 1, 1)), "does not hold");
  const std::vector<PairedSample> pair{{-1, 0, true, 1}};
  EXPECT_DEATH(static_cast<void>(tabulate(pair, 1, 1)), "does not hold");
}

RC_GTEST_PROP(TabulateProperty, SwappingTheSidesNegatesEveryRatio, (std::uint32_t seed)) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> time(1, 1e6);
  std::vector<PairedSample> samples;
  for (int pair = 0; pair < 3; ++pair) {
    for (int workload = 0; workload < 4; ++workload) {
      add(samples, pair, workload, {time(engine), time(engine), time(engine)}, {time(engine), time(engine)});
    }
  }
  const PairedTable table = tabulate(samples, 3, 4);
  for (PairedSample& sample : samples) {
    sample.candidate = !sample.candidate;
  }
  std::shuffle(samples.begin(), samples.end(), engine);
  const PairedTable swapped = tabulate(samples, 3, 4);
  RC_ASSERT(swapped.candidate_ns == table.incumbent_ns);
  for (std::size_t cell = 0; cell < table.log_ratio.size(); ++cell) {
    RC_ASSERT(std::abs(table.log_ratio[cell] + swapped.log_ratio[cell]) < kTolerance);
  }
}

TEST(GuardWorkloads, AccusesOnlyTheOneThatRegressed) {
  const PairedTable table = table_of(3, {{-0.20, 0.01, 0.30}, {-0.21, -0.01, 0.31}, {-0.19, 0.00, 0.29}});
  const std::vector<WorkloadGuard> guards = guard_workloads(table, 0.05, 0.05);
  ASSERT_THAT(guards, SizeIs(3));
  EXPECT_FALSE(guards[0].failed);
  EXPECT_FALSE(guards[1].failed);
  EXPECT_TRUE(guards[2].failed);
  EXPECT_NEAR(guards[2].mean, 0.30, 1e-9);
  EXPECT_LT(guards[2].lower, 0.30);
  EXPECT_GT(guards[2].upper, 0.30);
}

TEST(GuardWorkloads, AllowsARegressionWithinTheLimit) {
  const PairedTable table = table_of(1, {{0.30}, {0.31}, {0.29}});
  EXPECT_TRUE(guard_workloads(table, 0.05, 0.10)[0].failed);
  EXPECT_FALSE(guard_workloads(table, 0.05, 0.40)[0].failed);
}

TEST(GuardWorkloads, AdjustsForTheirNumber) {
  // p is about 0.03 for one workload: enough alone, not among twenty.
  const std::vector<double> spread{0.02, 0.10, 0.18, 0.12};
  std::vector<std::vector<double>> alone;
  std::vector<std::vector<double>> among;
  for (const double value : spread) {
    alone.push_back({value});
    std::vector<double> row(20, -0.05 * value);
    row[7] = value;
    among.push_back(row);
  }
  EXPECT_TRUE(guard_workloads(table_of(1, alone), 0.05, 0)[0].failed);
  EXPECT_FALSE(guard_workloads(table_of(20, among), 0.05, 0)[7].failed);
}

TEST(GuardWorkloads, AccusesNobodyOnOnePair) {
  const std::vector<WorkloadGuard> guards = guard_workloads(table_of(2, {{2.0}}), 0.05, 0);
  EXPECT_FALSE(guards[0].failed);
  EXPECT_NEAR(guards[0].mean, 2.0, 1e-9);
  EXPECT_EQ(guards[0].upper, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(guards[1].failed);
  EXPECT_THAT(guards[1].mean, IsNan());
}

constexpr PairedRule kRule{.minimum_pairs = 3, .maximum_pairs = 5, .alpha = 0.05, .minimum_effect = 0.02};

TEST(ComparePairs, ConcludesOnThePairsUpToTheDecidingLook) {
  const auto samples = session({{-0.30, -0.28}, {-0.31, -0.29}, {-0.29, -0.30}, {5, 5}, {5, 5}});
  const PairedComparison comparison = compare_pairs(samples, 5, 2, kRule, 0.05);
  EXPECT_TRUE(comparison.complete);
  EXPECT_EQ(comparison.conclusion, PairedConclusion::better);
  EXPECT_EQ(comparison.decision.pairs_used, 3);
  EXPECT_EQ(comparison.table.pairs, 3);
  EXPECT_LT(comparison.table.candidate_ns[0], 1000);
}

TEST(ComparePairs, AFailedGuardOutweighsAFasterMean) {
  const auto samples = session({{-0.80, 0.20}, {-0.81, 0.21}, {-0.79, 0.19}});
  const PairedComparison comparison = compare_pairs(samples, 3, 2, kRule, 0.05);
  EXPECT_EQ(comparison.decision.conclusion, PairedConclusion::better);
  EXPECT_TRUE(comparison.guards[1].failed);
  EXPECT_EQ(comparison.conclusion, PairedConclusion::not_better);
}

TEST(ComparePairs, ConcludesNothingFromAnIncompleteSession) {
  auto samples = session({{-0.30, -0.28}, {-0.31, -0.29}, {-0.29, -0.30}, {-0.3, -0.3}});
  samples.erase(samples.begin() + 4);  // the candidate of pair 1, workload 0
  const PairedComparison comparison = compare_pairs(samples, 4, 2, kRule, 0.05);
  EXPECT_FALSE(comparison.complete);
  EXPECT_EQ(comparison.conclusion, PairedConclusion::undecided);
  EXPECT_EQ(comparison.decision.pairs_used, 1);
}

TEST(ComparePairs, IsUndecidedBeforeTheFirstLook) {
  const PairedComparison comparison = compare_pairs(session({{-1}, {-1}}), 2, 1, kRule, 0.05);
  EXPECT_TRUE(comparison.complete);
  EXPECT_EQ(comparison.conclusion, PairedConclusion::undecided);
}

RC_GTEST_PROP(ComparePairsProperty, JudgingAfterEachPairAgreesWithJudgingOnce, (std::uint32_t seed)) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> noise(-0.03, 0.02);
  std::vector<std::vector<double>> ratios(5, std::vector<double>(3));
  for (auto& row : ratios) {
    std::generate(row.begin(), row.end(), [&] { return noise(engine); });
  }
  int stopped = 0;
  PairedComparison judge;
  while (stopped < 5 && judge.decision.conclusion == PairedConclusion::undecided) {
    ++stopped;
    const std::vector<std::vector<double>> so_far(ratios.begin(), ratios.begin() + stopped);
    judge = compare_pairs(session(so_far), stopped, 3, kRule, 0.05);
  }
  const PairedComparison once = compare_pairs(session(ratios), 5, 3, kRule, 0.05);
  RC_ASSERT(once.decision.pairs_used == stopped);
  RC_ASSERT(once.conclusion == judge.conclusion);
  RC_ASSERT(once.table.log_ratio == judge.table.log_ratio);
}

// A session of calls of 260 µs, of which the candidate claims to need `claimed` and truly needs `real` times as much; the
// answer adds 15 µs ± `noise` around each call, as on the machine where this was written.
std::vector<PairedSample> witnessed(double claimed, double real, double noise_ns, base::Philox& random, int pairs = 3) {
  std::vector<PairedSample> samples;
  for (int pair = 0; pair < pairs; ++pair) {
    for (int workload = 0; workload < 2; ++workload) {
      for (int call = 0; call < 3; ++call) {
        for (const bool candidate : {true, false}) {
          const double base = 260e3 * (workload == 0 ? 1 : 4) * (1 + 0.01 * random.next_normal());
          const double around = 15e3 + noise_ns * std::fabs(random.next_normal());
          samples.push_back(
              {pair, workload, candidate, base * (candidate ? claimed : 1), base * (candidate ? real : 1) + around});
        }
      }
    }
  }
  return samples;
}

struct Heard {
  int confirmed = 0;
  int contradicted = 0;
};

Heard hear(double claimed, double real, double noise_ns = 15e3) {
  base::Philox random(7, base::stream_id("testimony"));
  Heard heard;
  for (int run = 0; run < 1000; ++run) {
    const Testimony testimony = hear_witness(witnessed(claimed, real, noise_ns, random), 3, 2, 0.05);
    heard.confirmed += testimony == Testimony::confirmed ? 1 : 0;
    heard.contradicted += testimony == Testimony::contradicted ? 1 : 0;
  }
  return heard;
}

TEST(HearWitness, AnHonestGainIsConfirmed) {
  EXPECT_GE(hear(0.5, 0.5).confirmed, 990);
  EXPECT_GE(hear(0.8, 0.8).confirmed, 900);
  EXPECT_EQ(hear(0.8, 0.8).contradicted, 0);
}

TEST(HearWitness, ATimeThatOnlyTheCandidateSeesIsNeverConfirmedMoreOftenThanAlpha) {
  for (const double claimed : {0.5, 0.9, 0.97}) {
    EXPECT_LE(hear(claimed, 1).confirmed, 50) << claimed;
  }
  EXPECT_GE(hear(0.5, 1).contradicted, 990) << "half of 260 µs is hidden";
  EXPECT_GE(hear(0.9, 1).contradicted, 300) << "a tenth of it is";
}

TEST(HearWitness, HalfOfTheClaimIsTheBorder) {
  const Heard heard = hear(0.6, 0.8);
  EXPECT_LE(heard.confirmed, 80);
  EXPECT_LE(heard.contradicted, 80);
}

TEST(HearWitness, TheAnswersLatencyDoesNotDiluteADifference) {
  // A kernel of 5 µs made one of 1 µs, behind 15 µs of latency without noise: the ratio of round trips says 1.25x.
  std::vector<PairedSample> samples;
  for (int pair = 0; pair < 3; ++pair) {
    samples.push_back({pair, 0, true, 1e3 + pair, 16e3 + pair});
    samples.push_back({pair, 0, false, 5e3, 20e3});
  }
  EXPECT_EQ(hear_witness(samples, 3, 1, 0.05), Testimony::confirmed);
}

TEST(HearWitness, SaysNothingWithoutASecondClock) {
  base::Philox random(1, 1);
  auto samples = witnessed(0.5, 0.5, 1e3, random);
  samples.back().witness_ns = 0;
  EXPECT_EQ(hear_witness(samples, 3, 2, 0.05), Testimony::none);
  EXPECT_EQ(compare_pairs(samples, 3, 2, {}, 0.1).testimony, Testimony::none);
  EXPECT_EQ(compare_pairs(samples, 3, 2, {}, 0.1).conclusion, PairedConclusion::better);
}

TEST(ComparePairs, AnUnclearWitnessIsHeardAgainWithMorePairs) {
  base::Philox random(11, 1);
  PairedRule rule{.minimum_pairs = 2, .maximum_pairs = 8, .alpha = 0.05, .minimum_effect = 0.02};
  int unclear = 0;
  int still = 0;
  for (int run = 0; run < 50; ++run) {
    const auto samples = witnessed(0.5, 0.5, 60e3, random, 8);
    const auto few = compare_pairs(samples, 2, 2, rule, 0.1);
    if (few.decision.conclusion == PairedConclusion::better && few.testimony == Testimony::unclear) {
      ++unclear;
      EXPECT_EQ(few.conclusion, PairedConclusion::undecided);
      const auto all = compare_pairs(samples, 8, 2, rule, 0.1);
      EXPECT_EQ(all.decision.pairs_used, 2) << "the rule's own pairs stay";
      still += all.testimony == Testimony::confirmed ? 0 : 1;
    }
  }
  EXPECT_GE(unclear, 5) << "with two pairs Student's t asks for much";
  EXPECT_LE(still, unclear / 5);
}

TEST(ComparePairs, OnlyAConfirmedGainIsBetter) {
  base::Philox random(3, 1);
  const auto honest = compare_pairs(witnessed(0.5, 0.5, 5e3, random), 3, 2, {}, 0.1);
  EXPECT_EQ(honest.testimony, Testimony::confirmed);
  EXPECT_EQ(honest.conclusion, PairedConclusion::better);
  const auto forged = compare_pairs(witnessed(0.5, 1, 5e3, random), 3, 2, {}, 0.1);
  EXPECT_EQ(forged.decision.conclusion, PairedConclusion::better);
  EXPECT_EQ(forged.testimony, Testimony::contradicted);
  EXPECT_EQ(forged.conclusion, PairedConclusion::undecided);
}

}  // namespace
}  // namespace assay::stats
