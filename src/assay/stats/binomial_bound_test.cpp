#include <assay/stats/binomial_bound.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

double binomial_lower_tail(std::int64_t failures, std::int64_t trials, double rate) {
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::int64_t i = 0; i <= failures; ++i) {
    const auto k = static_cast<double>(i);
    const double log_choices = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    sum += std::exp(log_choices + k * std::log(rate) + (n - k) * std::log1p(-rate));
  }
  return sum;
}

TEST(BinomialBound, ZeroFailures) {
  EXPECT_NEAR(failure_rate_upper_bound(0, 299, 0.95), 0.01, 5e-5);
  EXPECT_LT(failure_rate_upper_bound(0, 299, 0.95), 0.01);
  EXPECT_GT(failure_rate_upper_bound(0, 298, 0.95), 0.01);
  EXPECT_NEAR(failure_rate_upper_bound(0, 1206, 0.95), 0.00248, 1e-5);
  EXPECT_DOUBLE_EQ(failure_rate_upper_bound(0, 1, 0.95), 0.95);
}

TEST(BinomialBound, ClopperPearsonOf97In100) {
  const RateInterval interval = failure_rate_interval(97, 100, 0.95);
  EXPECT_NEAR(interval.lower, 0.914824, 5e-7);
  EXPECT_NEAR(interval.upper, 0.993770, 5e-7);
}

TEST(BinomialBound, EndsAreClosed) {
  EXPECT_EQ(failure_rate_upper_bound(7, 7, 0.95), 1);
  EXPECT_EQ(failure_rate_interval(0, 7, 0.95).lower, 0);
  EXPECT_EQ(failure_rate_interval(7, 7, 0.95).upper, 1);
}

TEST(BinomialBound, TrialsForABound) {
  EXPECT_EQ(trials_for_bound(0.01, 0.95), 299);
  EXPECT_EQ(trials_for_bound(0.001, 0.95), 2995);
  EXPECT_EQ(trials_for_bound(0.5, 0.95), 5);
}

TEST(BinomialBoundDeathTest, RefusesImpossibleCounts) {
  EXPECT_DEATH(static_cast<void>(failure_rate_upper_bound(0, 0, 0.95)), "trials > 0");
  EXPECT_DEATH(static_cast<void>(failure_rate_upper_bound(3, 2, 0.95)), "failures <= trials");
  EXPECT_DEATH(static_cast<void>(failure_rate_upper_bound(0, 2, 1)), "confidence");
}

// In simulated trials, for rates between often and hardly ever: how often the truth is outside.
TEST(BinomialBound, ErrsInNoMoreSimulationsThanStated) {
  constexpr int kRuns = 4000;
  constexpr int kTrials = 200;
  for (const double rate : {0.001, 0.01, 0.05, 0.5}) {
    base::Philox random(1, base::stream_id("clopper-pearson"));
    int above_bound = 0;
    int outside = 0;
    for (int run = 0; run < kRuns; ++run) {
      std::int64_t failures = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        failures += random.next_uniform() < rate ? 1 : 0;
      }
      const RateInterval interval = failure_rate_interval(failures, kTrials, 0.95);
      above_bound += rate > failure_rate_upper_bound(failures, kTrials, 0.95) ? 1 : 0;
      outside += rate < interval.lower || rate > interval.upper ? 1 : 0;
    }
    const double allowed = 0.05 * kRuns + 3 * std::sqrt(0.05 * 0.95 * kRuns);  // Three deviations of their number.
    EXPECT_LE(above_bound, allowed) << rate;
    EXPECT_LE(outside, allowed) << rate;
  }
}

RC_GTEST_PROP(BinomialBoundProperty, LeavesExactlyTheStatedTail, ()) {
  const std::int64_t trials = *rc::gen::inRange<std::int64_t>(2, 400);
  const std::int64_t failures = *rc::gen::inRange<std::int64_t>(0, trials);
  const double bound = failure_rate_upper_bound(failures, trials, 0.95);
  RC_ASSERT(std::abs(binomial_lower_tail(failures, trials, bound) - 0.05) < 1e-6);
}

RC_GTEST_PROP(BinomialBoundProperty, MoreFailuresRaiseAndMoreTrialsLower, ()) {
  const std::int64_t trials = *rc::gen::inRange<std::int64_t>(2, 5000);
  const std::int64_t failures = *rc::gen::inRange<std::int64_t>(0, trials);
  const double bound = failure_rate_upper_bound(failures, trials, 0.95);
  RC_ASSERT(failure_rate_upper_bound(failures + 1, trials, 0.95) > bound);
  RC_ASSERT(failure_rate_upper_bound(failures, trials + 1, 0.95) < bound);
  RC_ASSERT(failure_rate_upper_bound(failures, trials, 0.99) > bound);
}

RC_GTEST_PROP(BinomialBoundProperty, TrialsForABoundIsTheSmallestNumber, ()) {
  const double rate = static_cast<double>(*rc::gen::inRange(1, 5000)) / 10'000 + 1e-7;
  const std::int64_t trials = trials_for_bound(rate, 0.95);
  RC_ASSERT(failure_rate_upper_bound(0, trials, 0.95) <= rate + 1e-12);
  RC_ASSERT((trials == 1 || failure_rate_upper_bound(0, trials - 1, 0.95) > rate - 1e-12));
}

}  // namespace
}  // namespace assay::stats
