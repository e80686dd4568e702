#include <assay/stats/replay.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include <assay/stats/quantile.hpp>

namespace assay::stats {
namespace {

// The example of a sibling with 3 failures in 200 trials: how many clean trials of the candidate itself bring the bound down.
TEST(FailureBelief, ASiblingsFailuresWeighUntilTheCandidatesOwnTrialsOutweighThem) {
  const FailureBelief sibling = updated({}, {.trials = 200, .failures = 3});
  const auto bound_after = [&](std::int64_t clean) { return credible_upper_bound(updated(sibling, {clean, 0}), 0.95); };
  EXPECT_NEAR(bound_after(200), 0.016, 5e-4);
  EXPECT_NEAR(bound_after(500), 0.009, 5e-4);
  EXPECT_NEAR(bound_after(1200), 0.005, 5e-4);
}

TEST(FailureBelief, DiscountsOtherCandidatesTrials) {
  const FailureBelief half = updated({1, 1}, {.trials = 10, .failures = 4}, 0.5);
  EXPECT_DOUBLE_EQ(half.failures, 3);
  EXPECT_DOUBLE_EQ(half.successes, 4);
  EXPECT_DOUBLE_EQ(updated({1, 1}, {.trials = 10, .failures = 4}, 0).mean(), 0.5);
}

TEST(FailureBelief, DetectionIsTheChanceOfAFailureAmongTheTrials) {
  const FailureBelief belief{2, 30};
  double clean = 1;
  for (int trial = 0; trial < 5; ++trial) {
    clean *= 1 - FailureBelief{2, 30.0 + trial}.mean();
  }
  EXPECT_NEAR(expected_detection(belief, 5), 1 - clean, 1e-12);
  EXPECT_EQ(expected_detection(belief, 0), 0);
}

TEST(FailureBelief, DrawsHaveTheBeliefsMeanAndQuantiles) {
  base::Philox random(4, base::stream_id("draw_rate"));
  for (const FailureBelief belief : {FailureBelief{0.1, 1}, FailureBelief{3, 50}}) {
    constexpr int kDraws = 20'000;
    std::vector<double> draws(kDraws);
    std::generate(draws.begin(), draws.end(), [&] { return draw_rate(belief, random); });
    EXPECT_NEAR(mean(draws), belief.mean(), 0.01);
    const double quantile = credible_upper_bound(belief, 0.9);
    const auto below = std::count_if(draws.begin(), draws.end(), [quantile](double x) { return x < quantile; });
    EXPECT_NEAR(static_cast<double>(below) / kDraws, 0.9, 0.01);
  }
}

std::vector<std::int64_t> counts_of(const std::vector<ReplayTrial>& plan, std::size_t strata) {
  std::vector<std::int64_t> counts(strata);
  for (const ReplayTrial& trial : plan) {
    ++counts[trial.stratum];
  }
  return counts;
}

TEST(Replay, SeedsThatFailedComeFirstEvenBeyondTheBudget) {
  std::vector<ReplayStratum> strata(4);
  strata[2].failing_seeds = {5, 9};
  strata[0].failing_seeds = {7};
  base::Philox random(1, 1);
  const auto plan = plan_replay(strata, 2, {}, random);
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_EQ(plan[0].seed, 7U);
  EXPECT_EQ(plan[1].stratum, 2U);
  EXPECT_EQ(plan[2].seed, 9U);
  const auto more = plan_replay(strata, 10, {}, random);
  EXPECT_EQ(more.size(), 10U);
  EXPECT_FALSE(more[3].seed);
}

TEST(Replay, HistoryIsBelievedByHowCloseItIs) {
  std::vector<ReplayStratum> strata(5);
  strata[0].of_siblings = {50, 1};
  strata[1].of_operator = {50, 1};
  strata[3].regime = 1;
  strata[4].regime = 1;
  const auto beliefs = beliefs_from_history(strata, {});
  // Both expect about 2 %, but the sibling's failure outlasts more clean trials.
  EXPECT_GT(updated(beliefs[0], {100, 0}).mean(), 1.25 * updated(beliefs[1], {100, 0}).mean());
  EXPECT_DOUBLE_EQ(beliefs[1].failures, 0.1 + 0.3 + 0.1 / 2 * 1);
  EXPECT_DOUBLE_EQ(beliefs[2].failures, 0.1 + 0.1 / 2 * 2) << "strata of one regime are expected to fail alike";
  EXPECT_DOUBLE_EQ(beliefs[3].failures, 0.1) << "another regime";
}

TEST(Replay, HistoryStandsForNoMoreThanHalfAFailureAndStillPointsWhereItDid) {
  std::vector<ReplayStratum> strata(3);
  for (std::size_t i = 0; i < strata.size(); ++i) {
    strata[i].regime = i;
    strata[i].of_siblings = {500, 0};
  }
  strata[1].of_siblings.failures = 10;
  const auto beliefs = beliefs_from_history(strata, {});
  EXPECT_DOUBLE_EQ(beliefs[1].failures, 0.1 + 0.5) << "ten failures, of which each counts for a twentieth";
  EXPECT_DOUBLE_EQ(beliefs[1].successes, 1 + 490 * 0.05);
  EXPECT_DOUBLE_EQ(beliefs[0].successes, 1 + 500 * 0.05) << "clean trials are discounted alike: the ratio stays";
  const auto wholly = beliefs_from_history(strata, {.sibling_discount = 1, .believed_failures = 1e9});
  EXPECT_DOUBLE_EQ(wholly[1].failures, 0.1 + 10);
  EXPECT_NEAR(beliefs[1].mean() / beliefs[0].mean(), 6, 0.3);
}

TEST(Replay, WeightsSendTrialsWhereAFailureWouldDoMostHarm) {
  std::vector<ReplayStratum> strata(3);
  strata[1].weight = 10;
  strata[2].weight = 0;
  base::Philox random(2, 2);
  const auto counts = counts_of(plan_replay(strata, 300, {}, random), 3);
  EXPECT_GT(counts[1], 2 * counts[0]);
  EXPECT_GE(counts[2], 20) << "its part of the even share";
}

RC_GTEST_PROP(ReplayProperty, AFifthOfEveryBeginningIsSpreadEvenly, (int seed)) {
  const auto size = static_cast<std::size_t>(*rc::gen::inRange(1, 12));
  std::vector<ReplayStratum> strata(size);
  strata.at(0).of_siblings = {20, 10};
  base::Philox random(static_cast<std::uint64_t>(seed), 3);
  const ReplayOptions options{.rule =
                                  *rc::gen::arbitrary<bool>() ? ReplayRule::thompson : ReplayRule::expected_detection};
  const std::size_t budget = *rc::gen::inRange<std::size_t>(1, 400);
  const auto plan = plan_replay(strata, budget, options, random);
  RC_ASSERT(plan.size() == budget);
  for (const std::size_t length : {budget / 3, budget}) {
    const auto counts = counts_of({plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(length)}, size);
    const std::int64_t even = static_cast<std::int64_t>(length + 4) / 5;
    RC_ASSERT(*std::min_element(counts.begin(), counts.end()) >= even / static_cast<std::int64_t>(size));
  }
}

struct Caught {
  double adaptive = 0;
  double even = 0;
};

// A defect on one of `workloads`, which fails there at `rate`. A sibling with the same defect was tried evenly until it
// failed once; then a candidate gets `budget` trials. The seed on which the sibling failed is not replayed: a defect that
// shows on it would be caught at once.
Caught simulate_planted(ReplayRule rule, std::size_t workloads, double rate, std::size_t budget, int runs) {
  Caught caught;
  for (int run = 0; run < runs; ++run) {
    base::Philox random(static_cast<std::uint64_t>(run), base::stream_id("replay.planted"));
    const std::size_t bad = static_cast<std::size_t>(random.next_below(workloads));
    std::vector<ReplayStratum> strata(workloads);
    for (bool failed = false; !failed;) {
      for (std::size_t i = 0; i < workloads && !failed; ++i) {
        failed = i == bad && random.next_uniform() < rate;
        ++strata[i].of_siblings.trials;
        strata[i].of_siblings.failures += failed ? 1 : 0;
      }
    }
    const auto is_caught = [&](const ReplayOptions& options) {
      const auto on_bad = static_cast<double>(counts_of(plan_replay(strata, budget, options, random), workloads)[bad]);
      return 1 - std::pow(1 - rate, on_bad) > random.next_uniform();
    };
    caught.adaptive += is_caught({.rule = rule}) ? 1.0 / runs : 0;
    caught.even += is_caught({.even_share = 1}) ? 1.0 / runs : 0;
  }
  return caught;
}

// The chance to see a defect of 1.5 % on one workload of 128 in 2,000 trials, after siblings were tried evenly until so many
// had failed on another workload.
double chance_after_misleading(int failures, const ReplayOptions& options) {
  constexpr std::size_t kWorkloads = 128;
  constexpr double kRate = 0.015;
  double chance = 0;
  constexpr int kRuns = 40;
  for (int run = 0; run < kRuns; ++run) {
    base::Philox random(static_cast<std::uint64_t>(run), base::stream_id("replay.misled"));
    std::vector<ReplayStratum> strata(kWorkloads);
    for (int failed = 0; failed < failures;) {
      for (std::size_t i = 0; i < kWorkloads && failed < failures; ++i) {
        const bool fails = i == 7 && random.next_uniform() < kRate;
        ++strata[i].of_siblings.trials;
        strata[i].of_siblings.failures += fails ? 1 : 0;
        failed += fails ? 1 : 0;
      }
    }
    const auto on_bad = static_cast<double>(counts_of(plan_replay(strata, 2000, options, random), kWorkloads)[99]);
    chance += (1 - std::pow(1 - kRate, on_bad)) / kRuns;
  }
  return chance;
}

TEST(Replay, AHistoryThatMisleadsCostsAFifthOfTheChanceHoweverOftenItDoes) {
  const double even = chance_after_misleading(0, {.even_share = 1});
  EXPECT_NEAR(even, 1 - std::pow(0.985, 2000.0 / 128), 0.01);
  for (const int failures : {1, 5, 20}) {
    EXPECT_GE(chance_after_misleading(failures, {}), 0.75 * even) << failures;
  }
  // What the bound is for: believed wholly, many failures elsewhere leave nothing but the even share.
  EXPECT_LE(chance_after_misleading(20, {.sibling_discount = 1, .believed_failures = 1e9}), 0.3 * even);
}

TEST(Replay, FindsAPlantedDefectWhereASiblingFailedAndEvenTrialsDoNot) {
  const Caught caught = simulate_planted(ReplayRule::expected_detection, 128, 0.015, 2000, 100);
  EXPECT_GE(caught.adaptive, 0.8);
  EXPECT_LE(caught.even, 0.4);
  EXPECT_GE(simulate_planted(ReplayRule::thompson, 32, 0.015, 500, 50).adaptive, 0.6);
}

}  // namespace
}  // namespace assay::stats
