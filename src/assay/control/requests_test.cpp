#include <assay/control/requests.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include <assay/control/sample_campaign.hpp>
#include <assay/stats/symmetric_evidence.hpp>

namespace assay::control {
namespace {

using testing::sample_configuration;
using ::testing::SizeIs;

task::EvaluationRequest request(const CampaignConfiguration& configuration, Purpose purpose, int candidate = 1,
                                int attempt = 1) {
  CampaignState state;
  state.regimes = {{"n 1..2", {0, 1}, 1, 0.1}, {"n 1000..2000", {2, 3}, 3, 0.9}};
  const PendingEvaluation target{purpose, candidate, attempt, "id-" + std::to_string(attempt)};
  return make_request(configuration, state, target, configuration.supplied.at(4), configuration.baseline);
}

TEST(MakeRequest, MeasuresTheBaselineAloneInTwoPairs) {
  const CampaignConfiguration configuration = sample_configuration();
  const auto made = request(configuration, Purpose::baseline, 0);
  EXPECT_EQ(made.id, "id-1");
  EXPECT_EQ(made.stage, task::Stage::measure);
  EXPECT_FALSE(made.incumbent);
  EXPECT_THAT(made.workloads, SizeIs(4));
  EXPECT_EQ(made.plan.minimum_pairs, 2);
  EXPECT_EQ(made.plan.maximum_pairs, 2);
  EXPECT_EQ(made.plan.samples_per_pair, configuration.policy.sweep.samples_per_pair);
  EXPECT_EQ(made.plan.call_limit, 5 * configuration.policy.sweep.call_limit);
}

TEST(MakeRequest, GatesOnTheRepresentatives) {
  const CampaignConfiguration configuration = sample_configuration();
  const auto made = request(configuration, Purpose::gate);
  EXPECT_EQ(made.stage, task::Stage::gate);
  ASSERT_THAT(made.workloads, SizeIs(2));
  EXPECT_EQ(made.workloads[0].uuid, configuration.workloads[1].uuid);
  EXPECT_EQ(made.workloads[1].uuid, configuration.workloads[3].uuid);
  EXPECT_EQ(made.candidate.name, "slow");
  EXPECT_EQ(made.incumbent->name, "plain");
  EXPECT_EQ(made.plan.maximum_pairs, configuration.policy.gate.maximum_pairs);
}

TEST(MakeRequest, SweepsAndConfirmsOnEveryWorkload) {
  const CampaignConfiguration configuration = sample_configuration();
  for (const Purpose purpose : {Purpose::sweep, Purpose::confirmation}) {
    const auto made = request(configuration, purpose);
    EXPECT_EQ(made.stage, task::Stage::sweep);
    EXPECT_THAT(made.workloads, SizeIs(4));
    EXPECT_TRUE(made.incumbent);
    EXPECT_EQ(made.plan.maximum_pairs, configuration.policy.sweep.maximum_pairs);
  }
}

TEST(MakeRequest, WinnersOfASweepAreReplayedAsThePolicySays) {
  CampaignConfiguration configuration = sample_configuration();
  EXPECT_EQ(request(configuration, Purpose::sweep).trials, 0) << "the sample's policy asks for none";
  configuration.policy.replay.trials = 1500;
  for (const Purpose purpose : {Purpose::sweep, Purpose::confirmation}) {
    EXPECT_EQ(request(configuration, purpose).trials, 1500);
    EXPECT_EQ(request(configuration, purpose).trials_turn, task::TrialsTurn::after_gain);
  }
  EXPECT_EQ(request(configuration, Purpose::gate).trials, 0);
  EXPECT_EQ(request(configuration, Purpose::baseline, 0).trials, 0);
}

TEST(MakeRequest, SweepsByEvidenceShareTheErrorOfACampaign) {
  CampaignConfiguration configuration = sample_configuration();
  CampaignState state;
  state.candidates.resize(3);
  for (int i = 0; i < 3; ++i) {
    state.candidates[static_cast<std::size_t>(i)].number = i + 1;
  }
  const auto alpha_of = [&](Purpose purpose) {
    const PendingEvaluation target{purpose, 3, 1, "id"};
    return make_request(configuration, state, target, configuration.supplied.at(4), configuration.baseline).plan.alpha;
  };
  const double alpha = configuration.policy.sweep.alpha;
  EXPECT_EQ(alpha_of(Purpose::sweep), alpha) << "Student's t knows no levels";
  configuration.policy.sweep.test = task::PairedTest::evidence;
  const double first = alpha_of(Purpose::sweep);
  EXPECT_LT(first, alpha);
  EXPECT_EQ(alpha_of(Purpose::confirmation), alpha);
  state.candidates[0].decision.emplace();
  const double second = alpha_of(Purpose::sweep);
  EXPECT_LT(second, first);
  state.candidates[0].decision->verdict = promote::Decision::Verdict::promote;
  EXPECT_DOUBLE_EQ(alpha_of(Purpose::sweep), 2 * second);
  state.candidates[2].decision.emplace();
  EXPECT_DOUBLE_EQ(alpha_of(Purpose::sweep), 2 * second) << "its own sweep is the one that is asked for";
}

TEST(MakeRequest, ASmallerShareOfAlphaBringsThePairsThatItNeeds) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.policy.sweep.test = task::PairedTest::evidence;
  configuration.policy.sweep.maximum_pairs = 24;
  CampaignState state;
  const auto plan = [&] {
    const PendingEvaluation target{Purpose::sweep, 999, 1, "id"};
    return make_request(configuration, state, target, configuration.supplied.at(4), configuration.baseline).plan;
  };
  const int slack = 24 - stats::least_values_for_evidence(configuration.policy.sweep.alpha);
  for (int number = 1; number <= 200; ++number) {
    EXPECT_EQ(plan().maximum_pairs - stats::least_values_for_evidence(plan().alpha), slack) << number;
    CandidateState& swept = state.candidates.emplace_back();
    swept.number = number;
    swept.decision.emplace();
  }
  EXPECT_GT(plan().maximum_pairs, 24);
  EXPECT_LT(plan().maximum_pairs, 48) << "far fewer than the level is smaller";
}

TEST(MakeRequest, SendsInjectionsWhereCandidatesGo) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.policy.sweep.test = task::PairedTest::evidence;
  configuration.policy.gate.self_comparison = true;
  const auto gate = request(configuration, Purpose::gate).plan;
  EXPECT_EQ(task::encode(request(configuration, Purpose::null_gate).plan), task::encode(gate));
  task::SessionPlan patient = gate;
  patient.futility = 0;
  patient.minimum_effect = 0;
  patient.self_comparison = false;
  EXPECT_EQ(task::encode(request(configuration, Purpose::slower_gate).plan), task::encode(patient));
  EXPECT_THAT(request(configuration, Purpose::slower_gate).workloads, SizeIs(2));
  const auto sweep = request(configuration, Purpose::sweep);
  const auto null_sweep = request(configuration, Purpose::null_sweep);
  EXPECT_EQ(null_sweep.stage, task::Stage::sweep);
  EXPECT_TRUE(null_sweep.judge_twin) << "that it is the incumbent's machine code must not decide";
  EXPECT_TRUE(request(configuration, Purpose::null_gate).judge_twin);
  EXPECT_FALSE(sweep.judge_twin);
  EXPECT_EQ(task::encode(null_sweep.plan), task::encode(sweep.plan)) << "the level that a candidate's would have";
  EXPECT_NE(null_sweep.seed, sweep.seed);
}

TEST(MakeRequest, ANullsNumberIsNotACandidates) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.policy.sweep.test = task::PairedTest::evidence;
  CampaignState state;
  CandidateState& swept = state.candidates.emplace_back();
  swept.number = 1;
  swept.decision.emplace();
  const auto alpha_of = [&](Purpose purpose, int number) {
    return make_request(configuration, state, {purpose, number, 1, "id"}, configuration.supplied.at(4),
                        configuration.baseline)
        .plan.alpha;
  };
  EXPECT_EQ(alpha_of(Purpose::null_sweep, 1), alpha_of(Purpose::sweep, 2));
  EXPECT_LT(alpha_of(Purpose::null_sweep, 1), alpha_of(Purpose::sweep, 1));
}

TEST(MakeRequest, SeedsASimulatedDeviceByWhatIsMeasured) {
  CampaignConfiguration configuration = sample_configuration();
  std::set<std::uint64_t> seeds;
  for (const Purpose purpose : {Purpose::gate, Purpose::sweep, Purpose::confirmation}) {
    for (const int candidate : {1, 2}) {
      const auto made = request(configuration, purpose, candidate);
      ASSERT_TRUE(made.seed);
      seeds.insert(*made.seed);
      EXPECT_EQ(made.seed, request(configuration, purpose, candidate, 2).seed);
    }
  }
  EXPECT_THAT(seeds, SizeIs(6));
  const auto before = request(configuration, Purpose::gate).seed;
  configuration.device = "simulated:8";
  EXPECT_NE(request(configuration, Purpose::gate).seed, before);
  configuration.device = "cpu";
  EXPECT_FALSE(request(configuration, Purpose::gate).seed);
}

TEST(ComparedWith, IsTheIncumbentButForTheEnds) {
  CampaignState state;
  EXPECT_EQ(compared_with(state, Purpose::gate), 0);
  state.incumbent = 3;
  EXPECT_EQ(compared_with(state, Purpose::gate), 3);
  EXPECT_EQ(compared_with(state, Purpose::sweep), 3);
  EXPECT_EQ(compared_with(state, Purpose::null_gate), 3);
  EXPECT_EQ(compared_with(state, Purpose::null_sweep), 3);
  EXPECT_EQ(compared_with(state, Purpose::slower_gate), 3);
  EXPECT_EQ(compared_with(state, Purpose::baseline), 0);
  EXPECT_EQ(compared_with(state, Purpose::confirmation), 0);
}

}  // namespace
}  // namespace assay::control
