#include <assay/stats/distributions.hpp>

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace assay::stats {
namespace {

double inner_probability() { return static_cast<double>(*rc::gen::inRange(1, 1'000'000)) / 1e6; }

TEST(Distributions, NormalQuantilesMatchTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
  EXPECT_NEAR(normal_quantile(1e-6), -4.753424308822899, 1e-10);
}

TEST(Distributions, StudentQuantilesMatchTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262157, 1e-6);
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706205, 1e-6);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.302653, 1e-6);
  EXPECT_NEAR(student_t_quantile(0.995, 4), 4.604095, 1e-6);
  EXPECT_NEAR(student_t_quantile(0.975, 1e7), 1.959964, 1e-6);
}

TEST(Distributions, BetaQuantileMatchesItsClosedForms) {
  EXPECT_NEAR(beta_quantile(0.3, 1, 1), 0.3, 1e-14);
  EXPECT_NEAR(beta_quantile(0.3, 2, 1), std::sqrt(0.3), 1e-14);
  EXPECT_NEAR(beta_quantile(0.3, 1, 5), 1 - std::pow(0.7, 0.2), 1e-14);
}

TEST(Distributions, UpperTailKeepsItsPrecisionFarOut) {
  // With one degree of freedom the tail is 1/2 - atan(t)/pi, which is close to 1 / (pi t) for a large t.
  EXPECT_NEAR(student_t_upper_tail(1e12, 1) * 3.141592653589793 * 1e12, 1, 1e-9);
  EXPECT_DOUBLE_EQ(student_t_upper_tail(std::numeric_limits<double>::infinity(), 3), 0);
  EXPECT_DOUBLE_EQ(student_t_upper_tail(-std::numeric_limits<double>::infinity(), 3), 1);
}

TEST(DistributionsDeathTest, RefusesWhatHasNoAnswer) {
  EXPECT_DEATH(static_cast<void>(normal_quantile(1)), "is_inner_probability");
  EXPECT_DEATH(static_cast<void>(student_t_quantile(0.5, 0)), "degrees > 0");
  EXPECT_DEATH(static_cast<void>(student_t_upper_tail(std::nan(""), 2)), "isnan");
  EXPECT_DEATH(static_cast<void>(beta_quantile(0.5, 0, 1)), "a > 0");
}

RC_GTEST_PROP(DistributionsProperty, TailInvertsTheQuantile, ()) {
  const double probability = inner_probability();
  const double degrees = *rc::gen::inRange(1, 200);
  const double tail = student_t_upper_tail(student_t_quantile(probability, degrees), degrees);
  RC_ASSERT(std::abs(tail - (1 - probability)) < 1e-9);
}

RC_GTEST_PROP(DistributionsProperty, QuantilesGrowWithTheProbability, ()) {
  const double a = inner_probability();
  const double b = inner_probability();
  RC_PRE(a < b);
  const double degrees = *rc::gen::inRange(1, 200);
  RC_ASSERT(student_t_quantile(a, degrees) < student_t_quantile(b, degrees));
  RC_ASSERT(normal_quantile(a) < normal_quantile(b));
}

RC_GTEST_PROP(DistributionsProperty, StudentIsWiderThanNormal, ()) {
  const double probability = 0.5 + inner_probability() / 2;
  RC_PRE(probability > 0.501);
  const double degrees = *rc::gen::inRange(1, 200);
  RC_ASSERT(student_t_quantile(probability, degrees) > normal_quantile(probability));
}

}  // namespace
}  // namespace assay::stats
