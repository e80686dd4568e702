#include <assay/stats/failure_posterior.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <assay/stats/binomial_bound.hpp>

namespace assay::stats {
namespace {

TrialCount some_trials() {
  const auto failures = *rc::gen::inRange<std::int64_t>(0, 50);
  return {failures + *rc::gen::inRange<std::int64_t>(0, 5000), failures};
}

RC_GTEST_PROP(FailureBeliefProperty, TheOrderOfTrialsDoesNotMatter, ()) {
  const TrialCount one = some_trials();
  const TrialCount other = some_trials();
  const double discount = *rc::gen::inRange(0, 101) / 100.0;
  const FailureBelief forth = updated(updated({}, one), other, discount);
  const FailureBelief back = updated(updated({}, other, discount), one);
  RC_ASSERT(std::abs(forth.failures - back.failures) < 1e-9);
  RC_ASSERT(std::abs(forth.successes - back.successes) < 1e-9);
}

RC_GTEST_PROP(FailureBeliefProperty, ACleanTrialLowersTheRateAndAFailureRaisesIt, ()) {
  const FailureBelief belief = updated({}, some_trials());
  const FailureBelief better = updated(belief, {1, 0});
  const FailureBelief worse = updated(belief, {1, 1});
  RC_ASSERT(better.mean() < belief.mean() && belief.mean() < worse.mean());
  RC_ASSERT(credible_upper_bound(better, 0.95) < credible_upper_bound(belief, 0.95));
  RC_ASSERT(credible_upper_bound(belief, 0.95) < credible_upper_bound(worse, 0.95));
  RC_ASSERT(credible_upper_bound(belief, 0.5) < credible_upper_bound(belief, 0.95));
}

RC_GTEST_PROP(FailureBeliefProperty, DetectionRisesWithTheTrialsAndOneOfThemFindsTheMean, ()) {
  const FailureBelief belief = updated({}, some_trials());
  const auto trials = *rc::gen::inRange<std::int64_t>(0, 10000);
  const double found = expected_detection(belief, trials);
  RC_ASSERT(expected_detection(belief, 0) == 0);
  RC_ASSERT(found >= 0 && found <= 1);
  RC_ASSERT(expected_detection(belief, trials + 1) >= found);
  RC_ASSERT(std::abs(expected_detection(belief, 1) - belief.mean()) < 1e-9);
  // Trials made one after another, each believed after those before it came out clean, find as much.
  const double later = expected_detection(updated(belief, {trials, 0}), 10);
  RC_ASSERT(std::abs(expected_detection(belief, trials + 10) - (1 - (1 - found) * (1 - later))) < 1e-9);
}

// With a flat first shape of 1 and a second of 0 (nearly) the belief's quantile is the exact bound of Clopper and Pearson.
TEST(FailureBelief, ItsQuantileIsTheExactBoundWhereOneFailureIsBelievedBeforehand) {
  for (const std::int64_t trials : {10, 100, 1000}) {
    for (const std::int64_t failures : {0, 1, 5}) {
      const FailureBelief belief = updated({1, 1e-12}, {trials, failures});
      EXPECT_NEAR(credible_upper_bound(belief, 0.95), failure_rate_upper_bound(failures, trials, 0.95), 1e-9)
          << failures << " of " << trials;
    }
  }
}

TEST(FailureBelief, NoTrialFindsExactlyNothing) {
  for (std::int64_t failures = 0; failures < 50; ++failures) {
    for (std::int64_t trials = failures; trials < 2000; trials += 7) {  // 10 of 17 among them, which once gave -2e-15.
      ASSERT_EQ(expected_detection(updated({}, {trials, failures}), 0), 0) << failures << " of " << trials;
    }
  }
}

TEST(FailureBelief, HalfOfTheDefaultLiesBelowAThousandth) {
  EXPECT_LT(credible_upper_bound({}, 0.5), 1e-3);
  EXPECT_GT(credible_upper_bound({}, 0.95), 0.1) << "it expects few failures and rules nothing out";
}

// For so small a shape that the gamma variable itself is 0 as a double, the ratio must be no NaN.
TEST(FailureBelief, DrawsAreRatesHoweverSmallTheShapes) {
  base::Philox random(5, 1);
  for (const FailureBelief& belief : {FailureBelief{1e-4, 1}, FailureBelief{1e-4, 1e-4}, FailureBelief{1e6, 1e-4}}) {
    double sum = 0;
    for (int draw = 0; draw < 2000; ++draw) {
      const double rate = draw_rate(belief, random);
      ASSERT_TRUE(rate >= 0 && rate <= 1) << rate;
      sum += rate;
    }
    EXPECT_NEAR(sum / 2000, belief.mean(), 0.06);  // Five deviations of a coin.
  }
}

// Rates that are drawn from the belief, and trials at these: the truth lies below its quantile as often as that says.
TEST(FailureBelief, ItsQuantilesAreCalibratedWhereTheBeliefIsTrue) {
  constexpr int kRuns = 4000;
  const FailureBelief before{2, 30};
  base::Philox random(11, base::stream_id("calibration"));
  for (const double probability : {0.5, 0.95}) {
    int below = 0;
    for (int run = 0; run < kRuns; ++run) {
      const double rate = draw_rate(before, random);
      TrialCount count{50, 0};
      for (int trial = 0; trial < 50; ++trial) {
        count.failures += random.next_uniform() < rate ? 1 : 0;
      }
      below += rate <= credible_upper_bound(updated(before, count), probability) ? 1 : 0;
    }
    EXPECT_NEAR(below, probability * kRuns, 3.5 * std::sqrt(probability * (1 - probability) * kRuns)) << probability;
  }
}

TEST(FailureBeliefDeathTest, RefusesWhatCannotBe) {
  EXPECT_DEATH(static_cast<void>(updated({}, {.trials = 1, .failures = 2})), "failures");
  EXPECT_DEATH(static_cast<void>(updated({}, {.trials = 1, .failures = -1})), "failures");
  EXPECT_DEATH(static_cast<void>(updated({}, {.trials = 1, .failures = 1}, 1.5)), "discount");
  EXPECT_DEATH(static_cast<void>(expected_detection({}, -1)), "trials");
  EXPECT_DEATH(static_cast<void>(expected_detection({0, 1}, 1)), "failures");
}

}  // namespace
}  // namespace assay::stats
