#include <assay/mcp/measured.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace assay::mcp {
namespace {

using ::testing::SizeIs;

TEST(Relation, IsToldOnlyWhereTheIntervalsDoNotOverlap) {
  const control::LogRatio slow{-0.1, -0.2, 0};
  const control::LogRatio fast{-1, -1.1, -0.9};
  const control::LogRatio near{-0.15, -0.3, -0.05};
  EXPECT_EQ(relation_of(slow, fast)["relation"], "second_faster");
  EXPECT_NEAR(relation_of(slow, fast)["second_over_first"]["estimate"], std::exp(0.9), 1e-9);
  EXPECT_EQ(relation_of(fast, slow)["relation"], "second_slower");
  EXPECT_EQ(relation_of(slow, near)["relation"], "cannot_be_told");
  EXPECT_EQ(relation_of(slow, slow)["relation"], "cannot_be_told");
  EXPECT_EQ(relation_of(slow, std::nullopt)["relation"], "not_measured");
  EXPECT_TRUE(relation_of(std::nullopt, fast)["second_over_first"].is_null());
}

TEST(Interval, TheBaselineIsExactlyItself) {
  const auto baseline = interval_of(nullptr);
  ASSERT_TRUE(baseline);
  EXPECT_EQ(baseline->mean, 0);
  control::CandidateState candidate;
  EXPECT_FALSE(interval_of(&candidate));
  candidate.log_ratio_to_baseline = -0.5;
  EXPECT_FALSE(interval_of(&candidate)) << "without bounds nothing can be told";
  candidate.log_ratio_to_baseline_lower = -0.6;
  candidate.log_ratio_to_baseline_upper = -0.4;
  EXPECT_EQ(interval_of(&candidate)->upper, -0.4);
}

TEST(Regimes, AreMeansOfWhatWasTimedOfThem) {
  control::CampaignConfiguration configuration;
  control::CampaignState state;
  task::Evaluation evaluation;
  for (const char* uuid : {"a", "b", "c", "d"}) {
    task::Workload workload;
    workload.uuid = uuid;
    configuration.workloads.push_back(workload);
  }
  state.regimes = {{"small", {0, 1}, 0, 0.25}, {"large", {2}, 2, 0.5}, {"untimed", {3}, 3, 0.25}};
  const auto timed = [&](const char* uuid, std::optional<double> log_ratio) {
    task::WorkloadTiming timing;
    timing.uuid = uuid;
    timing.log_ratio = log_ratio;
    evaluation.timings.push_back(timing);
  };
  timed("a", -std::log(2));
  timed("b", -std::log(8));
  timed("c", std::log(2));
  timed("d", std::nullopt);
  const base::Json regimes = regimes_of(evaluation, configuration, state);
  ASSERT_THAT(regimes, SizeIs(2));
  EXPECT_EQ(regimes[0]["name"], "small");
  EXPECT_EQ(regimes[0]["workloads_timed"], 2);
  EXPECT_NEAR(regimes[0]["speedup"], 4, 1e-9);
  EXPECT_NEAR(regimes[1]["speedup"], 0.5, 1e-9);
}

}  // namespace
}  // namespace assay::mcp
