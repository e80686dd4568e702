#include <assay/mcp/told.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace assay::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

task::Definition doubling() {
  task::Definition definition;
  definition.name = "double";
  definition.inputs = {{"x", {}}};
  definition.outputs = {{"y", {}}};
  return definition;
}

control::CandidateState judged(task::Outcome outcome) {
  control::CandidateState candidate;
  candidate.number = 3;
  candidate.name = "night-job-3";
  candidate.outcome = outcome;
  candidate.cause = "y[7, 1] is 3.25 and must be 2.125 on workload 901e5104, seed 4711";
  candidate.hypothesis = {"all", "memory", "fewer\nloads", "1.1x"};
  return candidate;
}

task::Evaluation found(const std::string& kind, const std::string& tensor = "y") {
  task::Evaluation evaluation;
  task::Finding finding;
  finding.kind = kind;
  finding.message = "y[7, 1] is 3.25 and must be 2.125";
  finding.tensor = tensor;
  finding.index = std::vector<std::int64_t>{7, 1};
  finding.expected = 2.125;
  finding.got = 3.25;
  finding.picture = {"..#.."};
  evaluation.findings = {finding};
  return evaluation;
}

TEST(Told, EveryOutcomeHasWordsOfOurOwn) {
  for (const task::Outcome outcome : task::all_outcomes()) {
    const std::string words = explain(judged(outcome), doubling(), nullptr);
    EXPECT_GT(words.size(), 4U) << task::to_string(outcome);
    EXPECT_THAT(words, Not(HasSubstr("4711")));
    EXPECT_THAT(words, Not(HasSubstr("2.125")));
  }
  EXPECT_EQ(explain({}, doubling(), nullptr), "not judged yet");
}

TEST(Told, AFindingSaysWhatAndNeverWhereOrByHowMuch) {
  for (const char* kind : {"mismatch", "unwritten", "guard_overwritten", "out_of_bounds", "input_written",
                           "entry_missing", "signal", "something new"}) {
    const task::Evaluation evaluation = found(kind);
    const std::string told =
        base::dump_compact(encode_candidate(judged(task::Outcome::incorrect), doubling(), &evaluation));
    for (const char* secret : {"3.25", "2.125", "4711", "901e5104", "[7", "..#..", "something new"}) {
      EXPECT_THAT(told, Not(HasSubstr(secret))) << kind;
    }
  }
  const task::Evaluation mismatch = found("mismatch");
  EXPECT_THAT(explain(judged(task::Outcome::incorrect), doubling(), &mismatch), HasSubstr("y does not agree"));
  const task::Evaluation other = found("mismatch", "seed 4711");
  EXPECT_THAT(explain(judged(task::Outcome::incorrect), doubling(), &other), HasSubstr("a tensor does not agree"))
      << "only names of the definition are told";
}

TEST(Told, WhatHappenedAfterwardsIsSaid) {
  control::CandidateState candidate = judged(task::Outcome::better);
  candidate.promoted = true;
  EXPECT_THAT(explain(candidate, doubling(), nullptr), HasSubstr("; promoted"));
  EXPECT_EQ(encode_candidate(candidate, doubling(), nullptr)["promoted"], true);
  candidate.demotion = "seed 4711 says so";
  EXPECT_THAT(explain(candidate, doubling(), nullptr), HasSubstr("did not confirm"));
  EXPECT_EQ(encode_candidate(candidate, doubling(), nullptr)["promoted"], false);
  candidate = judged(task::Outcome::better);
  candidate.outrun = control::Outrun{5, control::OutrunGround::bounds, "secret"};
  EXPECT_THAT(explain(candidate, doubling(), nullptr), HasSubstr("candidate 5"));
  candidate = judged(task::Outcome::duplicate);
  candidate.duplicate_of = 0;
  EXPECT_THAT(explain(candidate, doubling(), nullptr), HasSubstr("the baseline"));
}

TEST(Told, EffectsAreSpeedupsAndNothingIsNull) {
  EXPECT_TRUE(encode_effect(control::CandidateState()).is_null());
  control::CandidateState candidate = judged(task::Outcome::better);
  candidate.log_ratio_to_baseline = -std::log(2);
  candidate.log_ratio_to_baseline_lower = -std::log(4);
  candidate.log_ratio_to_baseline_upper = std::numeric_limits<double>::infinity();
  const base::Json effect = encode_effect(candidate);
  EXPECT_NEAR(effect["estimate"], 2, 1e-12);
  EXPECT_NEAR(effect["lower"].is_null() ? 0 : effect["lower"].get<double>(), 0, 1e-12);
  EXPECT_NEAR(effect["upper"], 4, 1e-12);
  EXPECT_TRUE(encode_effect(1, 0, std::numeric_limits<double>::infinity())["upper"].is_null());
}

TEST(Told, TheStageFollowsFromTheJournal) {
  control::CampaignState state;
  state.phase = control::Phase::searching;
  control::CandidateState candidate;
  candidate.number = 3;
  EXPECT_EQ(stage_of(candidate, state), Stage::judging);
  EXPECT_EQ(stage_of(judged(task::Outcome::incorrect), state), Stage::judged);
  EXPECT_EQ(stage_of(judged(task::Outcome::better), state), Stage::judging) << "its sweep is due";
  control::CandidateState swept = judged(task::Outcome::better);
  swept.decision = promote::Decision();
  EXPECT_EQ(stage_of(swept, state), Stage::judged);
  state.awaiting = 3;
  EXPECT_EQ(stage_of(swept, state), Stage::judging) << "the policy is about to promote it";
  state.phase = control::Phase::awaiting_approval;
  EXPECT_EQ(stage_of(swept, state), Stage::awaiting_approval);
  EXPECT_FALSE(is_final(Stage::awaiting_approval));
  state.awaiting.reset();
  state.phase = control::Phase::finished;
  EXPECT_EQ(stage_of(candidate, state), Stage::not_judged);
  EXPECT_TRUE(is_final(Stage::not_judged));
}

TEST(Told, LinesOfOthersAreBoundedAndStayOnTheirLine) {
  EXPECT_EQ(safe_line("a\nb\tc"), "a b c");
  EXPECT_LE(safe_line(std::string(1000, 'x'), 20).size(), 20U);
  EXPECT_THAT(safe_line("\x1b[31m"), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace assay::mcp
