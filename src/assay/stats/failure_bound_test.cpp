#include <assay/stats/failure_bound.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/binomial_bound.hpp>

namespace assay::stats {
namespace {

TEST(AnytimeBound, CostsAFifthMoreThanTheBoundForAFixedNumber) {
  EXPECT_NEAR(anytime_failure_rate_upper_bound(0, 100, 0.95), 0.0345, 5e-5);
  EXPECT_NEAR(anytime_failure_rate_upper_bound(0, 300, 0.95), 0.0120, 5e-5);
  EXPECT_NEAR(anytime_failure_rate_upper_bound(0, 1000, 0.95), 0.0037, 5e-5);
  EXPECT_EQ(anytime_failure_rate_upper_bound(3, 3, 0.95), 1);
}

RC_GTEST_PROP(AnytimeBoundProperty, LiesAboveTheExactBoundAndFollowsTheCounts, ()) {
  const std::int64_t trials = *rc::gen::inRange<std::int64_t>(2, 3000);
  const std::int64_t failures = *rc::gen::inRange<std::int64_t>(0, std::min<std::int64_t>(trials, 30));
  const double bound = anytime_failure_rate_upper_bound(failures, trials, 0.95);
  RC_ASSERT(bound > failure_rate_upper_bound(failures, trials, 0.95));
  RC_ASSERT(bound >= static_cast<double>(failures) / static_cast<double>(trials));
  RC_ASSERT(anytime_failure_rate_upper_bound(failures, trials + 1, 0.95) < bound);
  RC_ASSERT(anytime_failure_rate_upper_bound(failures + 1, trials + 1, 0.95) > bound);
  RC_ASSERT(anytime_failure_rate_upper_bound(failures, trials, 0.99) > bound);
}

TEST(AnytimeBound, IsExceededAtSomeLookLessOftenThanStatedAndAFixedBoundMoreOften) {
  constexpr double kRate = 0.03;
  constexpr int kRuns = 1000;
  int anytime = 0;
  int fixed = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    base::Philox random(run, base::stream_id("anytime_bound"));
    std::int64_t failures = 0;
    bool anytime_wrong = false;
    bool fixed_wrong = false;
    for (std::int64_t trials = 1; trials <= 400; ++trials) {
      failures += random.next_uniform() < kRate ? 1 : 0;
      if (trials % 4 == 0) {
        anytime_wrong = anytime_wrong || anytime_failure_rate_upper_bound(failures, trials, 0.95) < kRate;
        fixed_wrong = fixed_wrong || failure_rate_upper_bound(failures, trials, 0.95) < kRate;
      }
    }
    anytime += anytime_wrong ? 1 : 0;
    fixed += fixed_wrong ? 1 : 0;
  }
  EXPECT_LE(anytime, 0.05 * kRuns);
  EXPECT_GT(fixed, 0.05 * kRuns + 3 * std::sqrt(0.05 * kRuns)) << "looking on is what the fixed bound does not allow";
}

TEST(BoundStrata, EvenTrialsOfEvenWeightBoundTheMixtureAsOneKindWould) {
  const std::vector<Stratum> strata(10, {.trials = 30, .failures = 0, .weight = 2});
  const StrataBound bound = bound_strata(strata, 0.95);
  EXPECT_EQ(bound.trials, 300);
  EXPECT_NEAR(bound.in_use, failure_rate_upper_bound(0, 300, 0.95), 1e-9);
  EXPECT_NEAR(bound.of_weakest, failure_rate_upper_bound(0, 30, 0.95), 1e-12);
}

TEST(BoundStrata, NamesTheStratumOfWhichLeastIsKnown) {
  const std::vector<Stratum> strata{{100, 0, 1}, {7, 0, 1}, {500, 0, 1}};
  const StrataBound bound = bound_strata(strata, 0.95);
  EXPECT_EQ(bound.weakest, 1U);
  EXPECT_NEAR(bound.of_weakest, failure_rate_upper_bound(0, 7, 0.95), 1e-12);
  EXPECT_EQ(bound_strata(std::vector<Stratum>{{100, 0, 1}, {0, 0, 1}}, 0.95).of_weakest, 1);
}

TEST(BoundStrata, WhatWasNeverTriedMayAlwaysFailAndWhatIsNeverUsedDoesNotMatter) {
  const StrataBound untried = bound_strata(std::vector<Stratum>{{1'000'000, 0, 3}, {0, 0, 1}}, 0.95);
  EXPECT_NEAR(untried.in_use, 0.25, 1e-4);
  const StrataBound unused = bound_strata(std::vector<Stratum>{{100, 0, 1}, {0, 0, 0}}, 0.95);
  EXPECT_NEAR(unused.in_use, failure_rate_upper_bound(0, 100, 0.95), 1e-9);
}

// Against a search over a grid of the region: two strata, so that one rate follows from the other.
RC_GTEST_PROP(BoundStrataProperty, TheMixtureIsTheMaximumOverTheRegion, ()) {
  const Stratum one{*rc::gen::inRange<std::int64_t>(1, 200), 0, static_cast<double>(*rc::gen::inRange(1, 10))};
  const Stratum two{*rc::gen::inRange<std::int64_t>(1, 200), 0, static_cast<double>(*rc::gen::inRange(1, 10))};
  const double budget = -std::log(0.05);
  double best = 0;
  for (int step = 0; step <= 2000; ++step) {
    const double spent = budget * step / 2000;
    const double rate = one.weight * -std::expm1(-spent / static_cast<double>(one.trials)) +
                        two.weight * -std::expm1(-(budget - spent) / static_cast<double>(two.trials));
    best = std::max(best, rate / (one.weight + two.weight));
  }
  const StrataBound bound = bound_strata(std::vector<Stratum>{one, two}, 0.95);
  RC_ASSERT(bound.in_use >= best - 1e-9);
  RC_ASSERT(bound.in_use <= best + 1e-3);
  RC_ASSERT(bound.in_use <= bound.of_weakest + 1e-12);
}

TEST(BoundStrata, FailuresGiveWideButFiniteBounds) {
  const StrataBound bound = bound_strata(std::vector<Stratum>{{200, 3, 1}, {200, 0, 1}}, 0.95);
  EXPECT_EQ(bound.failures, 3);
  EXPECT_EQ(bound.weakest, 0U);
  EXPECT_GT(bound.of_weakest, failure_rate_upper_bound(3, 200, 0.975));
  EXPECT_LT(bound.of_weakest, 0.08);
  EXPECT_LT(bound.in_use, bound.of_weakest);
}

// The rates are just large enough to be excluded now and then; trials go, by turns and by what was seen, where they help
// the claim most, and the run stops as soon as the claim would be false.
TEST(BoundStrata, HoldsUnderAdaptiveAllocationAndOptionalStopping) {
  constexpr int kRuns = 2000;
  const std::vector<double> rates{0.02, 0.004, 0.03};
  const std::vector<double> weights{1, 5, 2};
  const double in_use = (0.02 * 1 + 0.004 * 5 + 0.03 * 2) / 8;
  int wrong_mixture = 0;
  int wrong_weakest = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    base::Philox random(run, base::stream_id("bound_strata"));
    std::vector<Stratum> strata{{0, 0, weights[0]}, {0, 0, weights[1]}, {0, 0, weights[2]}};
    bool mixture = false;
    bool weakest = false;
    for (int trial = 0; trial < 400; ++trial) {
      const StrataBound now = bound_strata(strata, 0.95);
      const std::size_t next = trial % 3 == 0 ? static_cast<std::size_t>(random.next_below(3)) : now.weakest;
      ++strata[next].trials;
      if (random.next_uniform() < rates[next]) {
        break;  // Rejected: nothing is claimed.
      }
      const StrataBound bound = bound_strata(strata, 0.95);
      mixture = mixture || bound.in_use < in_use;
      weakest = weakest || bound.of_weakest < 0.03;
    }
    wrong_mixture += mixture ? 1 : 0;
    wrong_weakest += weakest ? 1 : 0;
  }
  const double limit = 0.05 * kRuns + 3 * std::sqrt(0.05 * kRuns);
  EXPECT_LE(wrong_mixture, limit);
  EXPECT_LE(wrong_weakest, limit);
  EXPECT_GT(wrong_mixture + wrong_weakest, 0) << "a bound that is never wrong would pass too";
}

TEST(BoundStrataDeathTest, RefusesWhatCannotBe) {
  EXPECT_DEATH(static_cast<void>(bound_strata({}, 0.95)), "strata");
  EXPECT_DEATH(static_cast<void>(bound_strata(std::vector<Stratum>{{1, 2, 1}}, 0.95)), "failures");
  EXPECT_DEATH(static_cast<void>(bound_strata(std::vector<Stratum>{{1, 0, 0}}, 0.95)), "weight");
}

}  // namespace
}  // namespace assay::stats
