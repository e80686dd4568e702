#include <gtest/gtest.h>

#include <assay/supervise/improvement_model.hpp>

namespace assay::supervise {
namespace {

ImprovementModel after(int improvements, int wait, int flat) {
  ImprovementModel model;
  for (int i = 0; i < improvements; ++i) {
    for (int j = 0; j < wait; ++j) {
      model.observe(false);
    }
    model.observe(true);
  }
  for (int i = 0; i < flat; ++i) {
    model.observe(false);
  }
  return model;
}

TEST(ImprovementModelTest, KnowsLittleBeforeAnythingIsSeen) {
  const ImprovementModel model;
  EXPECT_EQ(model.probability_within(0), 0);
  EXPECT_GT(model.probability_within(8), 0.2);
  EXPECT_LT(model.probability_within(8), 0.6);
}

TEST(ImprovementModelTest, MoreAttemptsAreLikelierToImprove) {
  const ImprovementModel model = after(2, 3, 10);
  double before = 0;
  for (const int attempts : {1, 2, 4, 8, 16, 64}) {
    const double now = model.probability_within(attempts);
    EXPECT_GT(now, before) << attempts;
    EXPECT_LT(now, 1);
    before = now;
  }
}

TEST(ImprovementModelTest, EachAttemptWithoutAnImprovementMakesTheNextLessLikely) {
  double before = 1;
  for (int flat = 0; flat < 100; ++flat) {
    const double now = after(3, 4, flat).probability_within(8);
    EXPECT_LT(now, before) << flat;
    before = now;
  }
}

TEST(ImprovementModelTest, LearnsHowOftenTheSearchImproves) {
  EXPECT_GT(after(6, 2, 0).probability_within(8), after(6, 20, 0).probability_within(8));
  EXPECT_NEAR(after(40, 9, 0).probability_within(8), 0.57, 0.06) << "one in ten, so 1 - 0.9^8";
}

TEST(ImprovementModelTest, IsPatientWithASearchWhoseWaitsWereLong) {
  const auto given_up_after = [](int wait) {
    int flat = 0;
    while (after(10, wait, flat).probability_within(8) >= 0.1) {
      ++flat;
    }
    return flat;
  };
  EXPECT_LT(given_up_after(2), given_up_after(9));
  EXPECT_LT(given_up_after(9), given_up_after(20));
}

TEST(ImprovementModelTest, CountsSinceTheLastImprovement) {
  EXPECT_EQ(after(0, 0, 7).since_improvement(), 7);
  EXPECT_EQ(after(2, 5, 3).since_improvement(), 3);
}

}  // namespace
}  // namespace assay::supervise
