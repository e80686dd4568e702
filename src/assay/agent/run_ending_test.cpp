#include <assay/agent/run_ending.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::agent {
namespace {

using std::chrono::seconds;

TEST(RunEnding, LimitsLeaveRoomForTheGrace) {
  RunLimits own;
  own.wall = seconds(100);
  own.grace = seconds(10);
  own.tokens = 7;
  EXPECT_EQ(limits_within(own, {}, seconds(60)).wall, seconds(50));
  EXPECT_EQ(limits_within(own, {}, seconds(60)).tokens, 7);
  EXPECT_EQ(limits_within(own, {}, seconds(5)).wall, std::chrono::nanoseconds(1))
      << "nothing is left, and 0 is no limit";
  EXPECT_EQ(limits_within(own, {{3, 0, 0, 4, 0}, {}}, seconds(60)).tokens, 7);
  EXPECT_EQ(limits_within(own, {{30, 0, 0, 4, 0}, {}}, seconds(60)).tokens, 34);
}

TEST(RunEnding, WhatNeverStartedCostNothingAndWhatWasCutOffIsUnknown) {
  const RunEnding unstarted = not_started("r", base::Error{base::Owner::input, "a.b", "no such program", {}});
  EXPECT_EQ(unstarted.outcome, RunOutcome::not_started);
  EXPECT_THAT(unstarted.cause, ::testing::HasSubstr("no such program"));
  EXPECT_EQ(unstarted.spend.certainty, Certainty::exact);
  const RunEnding cut = interrupted("r");
  EXPECT_EQ(cut.outcome, RunOutcome::interrupted);
  EXPECT_NE(cut.spend.certainty, Certainty::exact);
  EXPECT_FALSE(cut.wall_known);
}

TEST(RunEnding, AStreamsWordsAreTaken) {
  StreamSummary summary;
  summary.outcome = RunOutcome::finished;
  summary.cause = "done";
  summary.session = "s";
  summary.model = "m";
  const RunEnding ending = ended("r", summary, {Certainty::exact, {{1, 0, 0, 2, 0}, 0.5}}, seconds(3));
  EXPECT_EQ(ending.id, "r");
  EXPECT_EQ(ending.outcome, RunOutcome::finished);
  EXPECT_EQ(ending.cause, "done");
  EXPECT_EQ(ending.session, "s");
  EXPECT_EQ(ending.model, "m");
  EXPECT_EQ(ending.spend.usage.dollars, 0.5);
  EXPECT_EQ(ending.wall, seconds(3));
  EXPECT_TRUE(ending.wall_known);
}

TEST(RunEnding, TheEnvironmentsFaultNamesTheRemedy) {
  const base::Error error = environment_failure("codex", RunOutcome::quota, "no credit").value();
  EXPECT_EQ(error.owner, base::Owner::environment);
  EXPECT_EQ(error.code, "agent.quota");
  EXPECT_THAT(error.message, ::testing::HasSubstr("codex could not do its work: no credit: "));
}

}  // namespace
}  // namespace assay::agent
