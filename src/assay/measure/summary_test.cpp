#include <assay/measure/summary.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace assay::measure {
namespace {

using task::Sample;
using task::Side;

task::EvaluationRequest request_of(int workloads) {
  task::EvaluationRequest request;
  for (int i = 0; i < workloads; ++i) {
    task::Workload workload;
    workload.uuid = "workload-" + std::to_string(i);
    workload.axes = {{"batch_size", i + 1}};
    request.workloads.push_back(workload);
  }
  request.plan.minimum_pairs = 3;
  request.plan.maximum_pairs = 5;
  request.plan.minimum_effect = 0.02;
  return request;
}

// Two timed repetitions a cell and a wild warm-up that must not count. The candidate takes `ratio(workload)` times the
// incumbent's time, with a little difference between pairs.
template <class Ratio>
std::vector<Sample> session(int pairs, int workloads, Ratio ratio) {
  std::vector<Sample> samples;
  for (int pair = 0; pair < pairs; ++pair) {
    for (int w = 0; w < workloads; ++w) {
      for (int repetition = 0; repetition < 3; ++repetition) {
        for (const Side side : {Side::candidate, Side::incumbent}) {
          const double incumbent = 100000.0 * (w + 1);
          const double jitter = 1.0 + 0.001 * ((pair % 3) - 1);
          double time = side == Side::candidate ? incumbent * ratio(w) * jitter : incumbent;
          if (repetition == 0) {
            time *= 50;
          }
          Sample sample;
          sample.pair = pair;
          sample.side = side;
          sample.workload = w;
          sample.repetition = repetition;
          sample.elapsed_ns = std::llround(time);
          sample.round_trip_ns = sample.elapsed_ns + 20000;
          samples.push_back(sample);
        }
      }
    }
  }
  return samples;
}

TEST(Summarise, GivesMediansWithoutWarmUpsAndPairedRatios) {
  const auto timings = summarise(request_of(2), session(3, 2, [](int) { return 0.5; }), 3);
  ASSERT_EQ(timings.size(), 2U);
  EXPECT_EQ(timings[1].uuid, "workload-1");
  EXPECT_NEAR(*timings[1].candidate_ns, 100000, 200);
  EXPECT_NEAR(*timings[1].incumbent_ns, 200000, 1);
  EXPECT_NEAR(*timings[0].log_ratio, std::log(0.5), 1e-5);
  EXPECT_LT(*timings[0].log_ratio_lower, *timings[0].log_ratio);
  EXPECT_GT(*timings[0].log_ratio_upper, *timings[0].log_ratio);
}

// The incumbent against its copy, which takes `ratio(pair)` times as long.
template <class Ratio>
std::vector<Sample> with_self(std::vector<Sample> samples, int pairs, Ratio ratio) {
  for (int pair = 0; pair < pairs; ++pair) {
    for (const Side side : {Side::candidate, Side::incumbent}) {
      Sample sample;
      sample.pair = pair;
      sample.side = side;
      sample.repetition = 1;
      sample.elapsed_ns = side == Side::candidate ? std::llround(7e5 * ratio(pair)) : 700000;
      sample.round_trip_ns = sample.elapsed_ns + 20000;
      sample.self = true;
      samples.push_back(sample);
    }
  }
  return samples;
}

TEST(JudgeSelf, TheNoiseIsTakenFromTheCopyAndLeavesTheComparisonAlone) {
  task::EvaluationRequest request = request_of(1);
  const auto plain = session(3, 1, [](int) { return 0.9; });
  const auto samples = with_self(plain, 3, [](int pair) { return 1 + 0.001 * (pair - 1); });
  request.plan.self_comparison = true;
  const Judgement judgement = judge(request, samples, 3);
  EXPECT_EQ(judgement.conclusion, stats::PairedConclusion::better);
  EXPECT_EQ(judgement.standing, stats::Standing::above_noise);
  EXPECT_TRUE(judgement.stop);
  ASSERT_TRUE(judgement.comparison.aa);
  EXPECT_EQ(judgement.comparison.aa->pairs, 3);
  EXPECT_NEAR(judgement.comparison.aa->noise_floor, 0.0025, 0.0002);
  request.plan.self_comparison = false;
  const Judgement without = judge(request, plain, 3);
  EXPECT_FALSE(without.comparison.aa);
  EXPECT_EQ(without.comparison.pair_log_ratios, judgement.comparison.pair_log_ratios);
  const auto timings = summarise(request, samples, 3);
  EXPECT_NEAR(*timings[0].incumbent_ns, 100000, 1) << "the copy's pairs are no times of the comparison";
  EXPECT_FALSE(reconcile(samples));
}

TEST(JudgeSelf, AGainInsideTheNoiseGoesOnToTheCapAndIsThenUndecided) {
  task::EvaluationRequest request = request_of(1);
  request.plan.self_comparison = true;
  for (const int pairs : {3, 5}) {
    const auto samples = with_self(session(pairs, 1, [](int) { return 0.9; }), pairs,
                                   [](int pair) { return pair % 2 == 0 ? 1.1 : 0.9; });
    const Judgement judgement = judge(request, samples, pairs);
    EXPECT_EQ(judgement.conclusion, stats::PairedConclusion::undecided);
    EXPECT_EQ(judgement.standing, stats::Standing::inside_noise);
    EXPECT_EQ(judgement.stop, pairs == 5) << "more pairs may make the noise smaller";
  }
}

TEST(JudgeSelf, ASessionThatTellsACopyApartIsVoid) {
  task::EvaluationRequest request = request_of(1);
  request.plan.self_comparison = true;
  const auto samples = with_self(session(5, 1, [](int) { return 0.5; }), 5, [](int) { return 1.08; });
  const Judgement judgement = judge(request, samples, 5);
  EXPECT_EQ(judgement.standing, stats::Standing::void_session);
  EXPECT_EQ(judgement.conclusion, stats::PairedConclusion::undecided);
}

TEST(Summarise, AloneThereAreNoRatios) {
  std::vector<Sample> samples;
  for (const Sample& sample : session(3, 1, [](int) { return 1.0; })) {
    if (sample.side == Side::candidate) {
      samples.push_back(sample);
    }
  }
  const auto timings = summarise(request_of(1), samples, 3);
  EXPECT_TRUE(timings[0].candidate_ns);
  EXPECT_FALSE(timings[0].incumbent_ns);
  EXPECT_FALSE(timings[0].log_ratio);
}

TEST(Judge, StopsEarlyForAClearGainAndForAClearLoss) {
  const auto gain = judge(request_of(2), session(3, 2, [](int) { return 0.8; }), 3);
  EXPECT_TRUE(gain.stop);
  EXPECT_EQ(gain.conclusion, stats::PairedConclusion::better);
  EXPECT_EQ(gain.comparison.pairs, 3);
  EXPECT_NEAR(std::exp(-gain.comparison.log_ratio), 1.25, 1e-3);
  const auto loss = judge(request_of(2), session(3, 2, [](int) { return 1.2; }), 3);
  EXPECT_TRUE(loss.stop);
  EXPECT_EQ(loss.conclusion, stats::PairedConclusion::not_better);
}

TEST(Judge, GoesOnWhileUndecidedAndStopsAtTheCap) {
  // On the threshold: the interval always holds it.
  const auto on_threshold = [](int) { return 0.98; };
  const auto early = judge(request_of(2), session(3, 2, on_threshold), 3);
  EXPECT_FALSE(early.stop);
  EXPECT_EQ(early.conclusion, stats::PairedConclusion::undecided);
  const auto late = judge(request_of(2), session(5, 2, on_threshold), 5);
  EXPECT_TRUE(late.stop);
  EXPECT_EQ(late.conclusion, stats::PairedConclusion::undecided);
}

TEST(Judge, ByEvidenceItStopsOnceThereAreEnoughPairsThatAgree) {
  auto request = request_of(2);
  request.plan.test = task::PairedTest::evidence;
  request.plan.maximum_pairs = 12;
  const auto half = [](int) { return 0.5; };
  EXPECT_FALSE(judge(request, session(5, 2, half), 5).stop);
  const Judgement sixth = judge(request, session(6, 2, half), 6);
  EXPECT_TRUE(sixth.stop);
  EXPECT_EQ(sixth.conclusion, stats::PairedConclusion::better);
  EXPECT_EQ(sixth.comparison.pairs, 6);
}

TEST(Judge, ARegressionOfOneWorkloadTripsTheGuardInSpiteOfTheMean) {
  const auto judgement = judge(request_of(4), session(3, 4, [](int w) { return w == 2 ? 1.3 : 0.6; }), 3);
  EXPECT_EQ(judgement.conclusion, stats::PairedConclusion::not_better);
  ASSERT_EQ(judgement.comparison.guard_failures.size(), 1U);
  EXPECT_THAT(judgement.comparison.guard_failures[0], ::testing::HasSubstr("batch_size 3"));
  EXPECT_THAT(judgement.comparison.guard_failures[0], ::testing::HasSubstr("30.0 %"));
}

TEST(Reconcile, AcceptsAnHonestSession) {
  EXPECT_FALSE(reconcile(session(3, 2, [](int) { return 0.5; })));
  EXPECT_FALSE(reconcile({}));
}

TEST(Reconcile, RefusesACallThatTookLongerThanItsRoundTrip) {
  auto samples = session(1, 1, [](int) { return 1.0; });
  samples[2].round_trip_ns = samples[2].elapsed_ns - 1;
  const auto doubt = reconcile(samples);
  ASSERT_TRUE(doubt);
  EXPECT_THAT(*doubt, ::testing::HasSubstr("command and answer together"));
}

TEST(Reconcile, RefusesTimeSpentOutsideTheReportedWindow) {
  auto samples = session(3, 2, [](int) { return 0.5; });
  for (Sample& sample : samples) {
    if (sample.side == Side::candidate) {
      sample.round_trip_ns += 2 * sample.elapsed_ns + 300000;
    }
  }
  const auto doubt = reconcile(samples);
  ASSERT_TRUE(doubt);
  EXPECT_THAT(*doubt, ::testing::HasSubstr("outside the time that is reported"));
}

TEST(Reconcile, ACandidateThatIsTimedAloneIsHeldAgainstAGenerousBound) {
  auto samples = session(3, 2, [](int) { return 1.0; });
  samples.erase(std::remove_if(samples.begin(), samples.end(),
                               [](const Sample& sample) { return sample.side == Side::incumbent; }),
                samples.end());
  EXPECT_FALSE(reconcile(samples));
  for (Sample& sample : samples) {
    sample.round_trip_ns += 1'900'000;
  }
  EXPECT_FALSE(reconcile(samples)) << "a slow wake-up is no evidence";
  for (Sample& sample : samples) {
    sample.round_trip_ns += 3'000'000;
  }
  const auto doubt = reconcile(samples);
  ASSERT_TRUE(doubt);
  EXPECT_THAT(*doubt, ::testing::Not(::testing::HasSubstr("incumbent")));
  samples.resize(samples.size() / 2);
  EXPECT_FALSE(reconcile(samples)) << "a busy machine may delay a few calls, every one of them";
}

TEST(Judge, GoesOnWhileTheJudgesClockIsUnclear) {
  auto samples = session(3, 2, [](int) { return 0.5; });
  for (Sample& sample : samples) {
    if (sample.side == Side::candidate) {
      sample.round_trip_ns += sample.pair * 40000;  // So that the surplus differs widely from pair to pair.
    }
  }
  const Judgement judgement = judge(request_of(2), samples, 3);
  EXPECT_EQ(judgement.testimony, stats::Testimony::unclear);
  EXPECT_FALSE(judgement.stop);
  EXPECT_EQ(judgement.conclusion, stats::PairedConclusion::undecided);
}

// A candidate that takes as long as the incumbent, whatever its own clock says; the incumbent takes `scale` times 0.1 and
// 0.2 ms.
std::vector<Sample> lying_session(int pairs, std::int64_t scale) {
  auto samples = session(pairs, 2, [](int) { return 0.5; });
  for (Sample& sample : samples) {
    sample.elapsed_ns *= scale;
    sample.round_trip_ns = (sample.side == Side::candidate ? 2 : 1) * sample.elapsed_ns + 20000;
  }
  return samples;
}

TEST(Judge, AGainThatTheJudgesClockDoesNotSeeIsNoGain) {
  const Judgement early = judge(request_of(2), lying_session(3, 20), 3);
  EXPECT_EQ(early.testimony, stats::Testimony::unclear) << "an accusation takes one pair more";
  EXPECT_FALSE(early.stop);
  const auto samples = lying_session(4, 20);
  const Judgement judgement = judge(request_of(2), samples, 4);
  EXPECT_EQ(judgement.testimony, stats::Testimony::contradicted);
  EXPECT_EQ(judgement.conclusion, stats::PairedConclusion::undecided);
  EXPECT_TRUE(judgement.stop);
  auto simulated = request_of(2);
  simulated.device = "simulated:1";
  EXPECT_EQ(judge(simulated, samples, 4).testimony, stats::Testimony::none);
  EXPECT_EQ(judge(simulated, samples, 4).conclusion, stats::PairedConclusion::better);
}

TEST(Judge, WhatWakingUpMayExplainIsNoLieAndNoGainEither) {
  const auto samples = lying_session(5, 1);  // 50 and 100 us are hidden.
  const Judgement judgement = judge(request_of(2), samples, 5);
  EXPECT_EQ(judgement.testimony, stats::Testimony::unclear);
  EXPECT_EQ(judgement.conclusion, stats::PairedConclusion::undecided);
  auto on_gpu = request_of(2);
  on_gpu.device = "cuda:0";
  EXPECT_EQ(judge(on_gpu, samples, 5).testimony, stats::Testimony::contradicted) << "nobody sleeps there";
}

// Every call of the candidate is late by 5 ms, and `late` of every ten of the incumbent's.
std::vector<Sample> late_session(int pairs, int late) {
  auto samples = session(pairs, 1, [](int) { return 0.5; });
  int index = 0;
  for (Sample& sample : samples) {
    if (sample.side == Side::candidate || (sample.repetition > 0 && index++ % 10 < late)) {
      sample.round_trip_ns += 5000000;
    }
  }
  return samples;
}

TEST(Reconcile, HowOftenTheIncumbentWasLateTooSaysWhetherItIsTheMachine) {
  EXPECT_TRUE(reconcile(late_session(3, 0))) << "six calls of each, one side's late: one of 924";
  EXPECT_FALSE(reconcile(late_session(2, 0))) << "four: one of 70";
  EXPECT_FALSE(reconcile(late_session(5, 7))) << "a machine on which most are late";
  EXPECT_TRUE(reconcile(late_session(5, 2)));
}

TEST(Reconcile, ABusyMachineThatDelaysMostAnswersIsNoEvidence) {
  auto samples = session(3, 2, [](int) { return 0.5; });
  int index = 0;
  for (Sample& sample : samples) {
    if (sample.side == Side::candidate && ++index % 3 != 0) {
      sample.round_trip_ns += 5000000;
    }
  }
  EXPECT_FALSE(reconcile(samples));
}

TEST(Reconcile, OneStrangeWorkloadOfManyIsNotEnough) {
  auto samples = session(3, 5, [](int) { return 0.5; });
  for (Sample& sample : samples) {
    if (sample.side == Side::candidate && sample.workload == 2) {
      sample.round_trip_ns += 5000000;
    }
  }
  EXPECT_FALSE(reconcile(samples));
}

}  // namespace
}  // namespace assay::measure
