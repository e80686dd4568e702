#include <assay/control/situation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_configuration;
using ::testing::SizeIs;

CampaignState measured_baseline() {
  CampaignState state;
  state.baseline_ns = {1e5, 2e5, 1e8, 2e8};
  state.regimes = {{"n 1..2", {0, 1}, 1, 0.001}, {"n 1000..2000", {2, 3}, 3, 0.999}};
  return state;
}

void record_evidence(CampaignState& state, task::EvidenceKind kind, const std::string& regime, double value,
                     const std::string& environment) {
  testing::must(follow(EvidenceRecorded{{kind, regime, value, "memory", "e", environment}}, state.memory));
}

TEST(Situation, WhatNobodyMeasuredIsAbsent) {
  const agent::Situation situation = situation_of(sample_configuration(), measured_baseline());
  ASSERT_THAT(situation.regimes, SizeIs(2));
  EXPECT_EQ(situation.regimes[1].baseline_ns, 2e8);
  EXPECT_FALSE(situation.regimes[0].headroom);
  EXPECT_FALSE(situation.noise_floor);
  EXPECT_THAT(situation.routes, IsEmpty());
  const std::string prompt = agent::render_prompt(situation);
  EXPECT_THAT(prompt, HasSubstr("| not known |"));
  EXPECT_THAT(prompt, HasSubstr("has not been measured here"));
}

TEST(Situation, WhatWasMeasuredHereIsShown) {
  CampaignState state = measured_baseline();
  record_evidence(state, task::EvidenceKind::noise_floor, "all", std::log(1.02), "here");
  record_evidence(state, task::EvidenceKind::headroom, "n 1..2", std::log(3.0), "here");
  const agent::Situation situation = situation_of(sample_configuration(), state);
  EXPECT_NEAR(situation.noise_floor.value(), 0.02, 1e-12);
  EXPECT_NEAR(situation.regimes[0].headroom.value(), 3.0, 1e-12);
  EXPECT_FALSE(situation.regimes[1].headroom);
  const std::string prompt = agent::render_prompt(situation);
  EXPECT_THAT(prompt, HasSubstr("Changes below 2.00 %"));
  EXPECT_THAT(prompt, HasSubstr("3.00x to the roofline's floor (memory)"));
}

TEST(Situation, EvidenceOfAnotherEnvironmentIsNot) {
  CampaignState state = measured_baseline();
  record_evidence(state, task::EvidenceKind::noise_floor, "all", 0.02, "there");
  record_evidence(state, task::EvidenceKind::headroom, "n 1..2", 1, "here");
  EXPECT_FALSE(situation_of(sample_configuration(), state).noise_floor);
}

TEST(Situation, HasClosedRoutesAndWhatNobodyTried) {
  CampaignState state = measured_baseline();
  task::Hypothesis hypothesis;
  hypothesis.mechanism = "fewer barriers";
  hypothesis.change = "one barrier a tile";
  testing::must(follow(HypothesisStated{1, "codex", hypothesis}, state.memory));
  state.memory.hypotheses[0].candidate = 4;
  task::HypothesisTest test;
  test.evaluation = "e";
  test.environment = "here";
  test.effect = task::MeasuredEffect{0.02, 0.01, 0.03};
  test.status = task::HypothesisStatus::falsified;
  testing::must(follow(HypothesisTested{1, 4, test}, "e", state.memory));
  hypothesis.mechanism = "wider loads";
  testing::must(follow(HypothesisStated{2, "planner", hypothesis}, state.memory));
  const agent::Situation situation = situation_of(sample_configuration(), state);
  ASSERT_THAT(situation.routes, SizeIs(1));
  EXPECT_TRUE(situation.routes[0].closed);
  ASSERT_THAT(situation.hypotheses, SizeIs(1));
  const std::string prompt = agent::render_prompt(situation);
  EXPECT_THAT(prompt,
              HasSubstr("| 4 | all | fewer barriers | one barrier a tile | faster | 0.980x [0.970, 0.990] | again in "
                        "another environment"));
  EXPECT_THAT(prompt, HasSubstr("- wider loads in all: one barrier a tile (predicted faster)"));
}

TEST(Situation, NamesContractReferencesAndAxes) {
  CampaignState state = measured_baseline();
  const CampaignConfiguration configuration = sample_configuration();
  const agent::Situation situation = situation_of(configuration, state);
  EXPECT_THAT(situation.contract, Contains(HasSubstr("on 2 representatives")));
  EXPECT_THAT(situation.contract, Contains(HasSubstr("all 4 workloads")));
  EXPECT_THAT(situation.references, Contains(HasSubstr("The baseline: plain, in cpp.")));
  EXPECT_THAT(situation.references, Not(Contains(HasSubstr("incumbent"))));
  ASSERT_THAT(situation.axes, SizeIs(1));
  EXPECT_EQ(situation.axes[0].name, "n");
  EXPECT_EQ(situation.axes[0].least, 1);
  EXPECT_EQ(situation.axes[0].most, 2000);
  EXPECT_EQ(situation.axes[0].values, 4U);
}

TEST(VaryingAxes, LeaveOutWhatIsTheSameEverywhere) {
  std::vector<task::Workload> workloads(2);
  workloads[0].axes = {{"m", 1}, {"n", 8}};
  workloads[1].axes = {{"m", 2}, {"n", 8}};
  const auto axes = varying_axes(workloads);
  ASSERT_THAT(axes, SizeIs(1));
  EXPECT_EQ(axes[0].name, "m");
}

}  // namespace
}  // namespace assay::control
