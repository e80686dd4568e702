#include <assay/control/steer_effect.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace assay::control {
namespace {

using ::testing::HasSubstr;

// A campaign with these speedups of its promotions, steered after the first `before` of them.
SteerEffect effect_of(const std::vector<double>& speedups, std::size_t before) {
  CampaignState state;
  for (const double speedup : speedups) {
    CandidateState& candidate = state.candidates.emplace_back();
    candidate.number = static_cast<int>(state.candidates.size());
    candidate.decision.emplace();
    candidate.decision->speedup = speedup;
    state.reign.push_back(candidate.number);
  }
  SteerState steer;
  steer.promotions = before;
  steer.candidates = static_cast<int>(before);
  return steer_effect(state, steer);
}

TEST(SteerEffect, WithoutPromotionsIsUndecided) {
  const SteerEffect effect = effect_of({}, 0);
  EXPECT_FALSE(effect.gain_before);
  EXPECT_FALSE(effect.gain_after);
  EXPECT_THAT(effect.verdict, HasSubstr("undecided: 0 and 0 promotions"));
}

TEST(SteerEffect, OfOnePromotionHasAMeanAndNoInterval) {
  const SteerEffect effect = effect_of({1.1, 1.1, 2.0}, 2);
  EXPECT_NEAR(*effect.gain_after, std::log(2.0), 1e-12);
  EXPECT_FALSE(effect.difference_lower);
  EXPECT_EQ(effect.candidates_after, 1);
  EXPECT_THAT(effect.verdict, HasSubstr("undecided: 2 and 1 promotions"));
}

TEST(SteerEffect, ThatIsLargeIsSeen) {
  const SteerEffect effect = effect_of({1.02, 1.03, 1.02, 1.03, 1.5, 1.55, 1.52}, 4);
  EXPECT_GT(*effect.difference_lower, 0.3);
  EXPECT_EQ(effect.verdict, "more gain per promotion after it");
  EXPECT_EQ(effect_of({1.5, 1.55, 1.52, 1.02, 1.03, 1.02}, 3).verdict, "less gain per promotion after it");
}

TEST(SteerEffect, InsideTheScatterIsUndecided) {
  EXPECT_THAT(effect_of({1.02, 1.5, 1.1, 1.04, 1.45, 1.2}, 3).verdict, HasSubstr("undecided: the interval"));
  EXPECT_THAT(effect_of({1.5, 1.5, 1.5, 1.5}, 2).verdict, HasSubstr("undecided: gains that do not vary"));
}

// Between the intervals for 2 and for 4 degrees of freedom.
TEST(SteerEffect, HasWelchsInterval) {
  const SteerEffect effect =
      effect_of({std::exp(0.1), std::exp(0.3), std::exp(0.2), std::exp(0.5), std::exp(0.9), std::exp(0.7)}, 3);
  const double half = 4.3027 * 0.1 / std::sqrt(3) * std::sqrt(1 + 4);
  EXPECT_NEAR((*effect.difference_lower + *effect.difference_upper) / 2, 0.5, 1e-12);
  EXPECT_LT(*effect.difference_upper - *effect.difference_lower, 2 * half);
  EXPECT_GT(*effect.difference_lower, 0);
}

}  // namespace
}  // namespace assay::control
