#include <assay/stats/t_test.hpp>

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/paired_decision.hpp>

namespace assay::stats {
namespace {

TEST(TTest, MatchesHandComputedValues) {
  // Two values a apart: with one degree of freedom the tail is 1/2 - atan(t)/pi, t = mean / (a / 2) = 3.
  EXPECT_NEAR(p_value_mean_above(std::vector<double>{1, 2}, 0), 0.5 - std::atan(3.0) / 3.141592653589793, 1e-12);
  EXPECT_NEAR(p_value_mean_above(std::vector<double>{1, 2, 3}, 2), 0.5, 1e-12);
}

TEST(TTest, TakesAMeanWithoutSpreadAsKnown) {
  const std::vector<double> values(4, 0.1);
  EXPECT_EQ(p_value_mean_above(values, 0.05), 0);
  EXPECT_EQ(p_value_mean_above(values, 0.1), 1);
  EXPECT_EQ(p_value_mean_above(values, 0.2), 1);
}

TEST(TTest, BrokenValuesAreEvidenceOfNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(p_value_mean_above(std::vector<double>{infinity, infinity}, 0), 1);
  EXPECT_EQ(p_value_mean_above(std::vector<double>{std::nan(""), 5, 6}, 0), 1);
}

TEST(TTestDeathTest, NeedsTwoValues) {
  EXPECT_DEATH(static_cast<void>(p_value_mean_above(std::vector<double>{1}, 0)), "size");
}

TEST(TTest, IsUniformUnderTheNull) {
  base::Philox random(11, base::stream_id("t_test.null"));
  constexpr int kRuns = 4000;
  int below_tenth = 0;
  int below_half = 0;
  std::vector<double> values(5);
  for (int run = 0; run < kRuns; ++run) {
    for (double& value : values) {
      value = 2 + random.next_normal();
    }
    const double p = p_value_mean_above(values, 2);
    below_tenth += p < 0.1 ? 1 : 0;
    below_half += p < 0.5 ? 1 : 0;
  }
  EXPECT_NEAR(below_tenth, 0.1 * kRuns, 4 * std::sqrt(kRuns * 0.1 * 0.9));
  EXPECT_NEAR(below_half, 0.5 * kRuns, 4 * std::sqrt(kRuns * 0.25));
}

RC_GTEST_PROP(TTestProperty, AgreesWithTheInterval, (int seed)) {
  base::Philox random(static_cast<std::uint64_t>(seed), 1);
  std::vector<double> values(static_cast<std::size_t>(*rc::gen::inRange(2, 12)));
  for (double& value : values) {
    value = random.next_normal();
  }
  const PairedInterval interval = t_interval(values, 0.1);
  RC_ASSERT(std::abs(p_value_mean_above(values, interval.lower) - 0.05) < 1e-9);
  RC_ASSERT(std::abs(p_value_mean_above(values, interval.upper) - 0.95) < 1e-9);
}

}  // namespace
}  // namespace assay::stats
