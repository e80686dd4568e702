#include <assay/task/trial_spread.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace assay::task {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

EvaluationRequest asking_for(int trials, std::size_t workloads) {
  EvaluationRequest request;
  request.trials = trials;
  request.workloads.resize(workloads);
  return request;
}

TEST(TrialSpread, EachWorkloadGetsEquallyManyAndAllTogetherNoFewerThanAsked) {
  for (int trials = 0; trials < 40; ++trials) {
    for (std::size_t workloads = 1; workloads < 9; ++workloads) {
      const std::vector<int> spread = spread_trials(asking_for(trials, workloads));
      ASSERT_EQ(spread.size(), workloads);
      EXPECT_THAT(spread, Each(spread.front()));
      const int all = std::accumulate(spread.begin(), spread.end(), 0);
      EXPECT_GE(all, trials);
      EXPECT_LT(all, trials + static_cast<int>(workloads)) << "one less on each would be too few";
    }
  }
}

TEST(TrialSpread, WhatTheRequestSaysOfEachGoesBeforeItsNumberOfAll) {
  EvaluationRequest request = asking_for(100, 3);
  request.trials_on = {7, 0, 2};
  EXPECT_THAT(spread_trials(request), ElementsAre(7, 0, 2));
}

TEST(TrialSpread, WithoutWorkloadsThereIsNothingToSpread) { EXPECT_THAT(spread_trials(asking_for(5, 0)), IsEmpty()); }

}  // namespace
}  // namespace assay::task
