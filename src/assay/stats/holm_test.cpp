#include <assay/stats/holm.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<double> some_p_values() {
  const auto parts = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10'001));
  std::vector<double> p_values;
  for (const int part : parts) {
    p_values.push_back(part / 1e4);
  }
  return p_values;
}

TEST(Holm, AdjustsStepByStepInTheGivenOrder) {
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005}),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.06), DoubleEq(0.06), DoubleEq(0.02)));
}

TEST(Holm, StopsAtTheFirstThatItCannotReject) {
  // 0.03 fails at 0.05 / 2, so that 0.04 is not rejected either, although it would pass at 0.05 / 1.
  EXPECT_THAT(holm_rejections(std::vector<double>{0.03, 0.001, 0.04}, 0.05), ElementsAre(false, true, false));
}

TEST(Holm, EmptyAndSingle) {
  EXPECT_THAT(holm_adjusted({}), IsEmpty());
  EXPECT_THAT(holm_rejections({}, 0.05), IsEmpty());
  EXPECT_THAT(holm_rejections(std::vector<double>{0.05}, 0.05), ElementsAre(true));
}

TEST(HolmDeathTest, RefusesWhatIsNoProbability) {
  EXPECT_DEATH(static_cast<void>(holm_adjusted(std::vector<double>{1.5})), "p <= 1");
  EXPECT_DEATH(static_cast<void>(holm_adjusted(std::vector<double>{std::nan("")})), "p >= 0");
  EXPECT_DEATH(static_cast<void>(holm_rejections(std::vector<double>{0.5}, 0)), "alpha > 0");
}

TEST(Holm, KeepsTheFamilyErrorUnderTheNull) {
  base::Philox random(5, base::stream_id("holm.null"));
  constexpr int kRuns = 4000;
  constexpr double kAlpha = 0.05;
  int with_false_rejection = 0;
  std::vector<double> p_values(54);
  for (int run = 0; run < kRuns; ++run) {
    for (double& p : p_values) {
      p = random.next_uniform();
    }
    const auto rejected = holm_rejections(p_values, kAlpha);
    with_false_rejection += std::find(rejected.begin(), rejected.end(), true) != rejected.end() ? 1 : 0;
  }
  EXPECT_LE(with_false_rejection, kRuns * kAlpha + 3 * std::sqrt(kRuns * kAlpha * (1 - kAlpha)));
  EXPECT_GE(with_false_rejection, kRuns * kAlpha / 2);
}

RC_GTEST_PROP(HolmProperty, LiesBetweenThePValueAndBonferroni, ()) {
  const auto p_values = some_p_values();
  const auto adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    RC_ASSERT(adjusted[i] >= p_values[i]);
    RC_ASSERT(adjusted[i] <= std::min(1.0, static_cast<double>(p_values.size()) * p_values[i]) + 1e-12);
  }
}

RC_GTEST_PROP(HolmProperty, KeepsTheOrderAndIgnoresTheArrangement, ()) {
  auto p_values = some_p_values();
  auto adjusted = holm_adjusted(p_values);
  std::sort(p_values.begin(), p_values.end());
  std::sort(adjusted.begin(), adjusted.end());
  RC_ASSERT(holm_adjusted(p_values) == adjusted);
}

}  // namespace
}  // namespace assay::stats
