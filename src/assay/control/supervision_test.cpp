#include <assay/control/supervision.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <assay/control/person.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CandidateState& add_candidate(CampaignState& state, task::Outcome outcome) {
  CandidateState& candidate = state.candidates.emplace_back();
  candidate.number = static_cast<int>(state.candidates.size());
  candidate.round = 1;
  const std::string code = "code " + std::to_string(candidate.number);
  candidate.identity = {base::sha256(code), base::sha256(code)};
  candidate.outcome = outcome;
  return candidate;
}

CampaignConfiguration supervised() {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supervision = Supervision();
  configuration.rounds = 20;
  return configuration;
}

CampaignState searching_after(int losers) {
  CampaignState state;
  state.phase = Phase::searching;
  state.rounds_started = 1;
  for (int i = 0; i < losers; ++i) {
    add_candidate(state, task::Outcome::not_better);
  }
  return state;
}

TEST(CampaignHistory, TellsKindsAndImprovementsApart) {
  CampaignState state;
  state.phase = Phase::searching;
  add_candidate(state, task::Outcome::crashed);
  add_candidate(state, task::Outcome::duplicate);
  CandidateState& winner = add_candidate(state, task::Outcome::better);
  winner.promoted = true;
  winner.decision.emplace();
  winner.decision->speedup = std::exp(0.2);
  winner.log_ratio_to_baseline = -0.3;
  CandidateState& tie = add_candidate(state, task::Outcome::indistinguishable);
  tie.gate_log_ratio = LogRatio{0, -0.2, 0.2};
  add_candidate(state, task::Outcome::not_better);
  state.candidates.emplace_back().number = 6;  // Not judged.
  add_candidate(state, task::Outcome::crashed).round = 0;
  const supervise::History history = campaign_history(state, supervised());
  ASSERT_EQ(history.attempts.size(), 5U);
  EXPECT_EQ(history.attempts[0].kind, supervise::AttemptKind::failed);
  EXPECT_EQ(history.attempts[1].kind, supervise::AttemptKind::repeated);
  EXPECT_NEAR(history.attempts[2].improvement.value(), 0.2, 1e-12);
  EXPECT_NEAR(history.attempts[2].level.value(), 0.3, 1e-12);
  EXPECT_TRUE(history.attempts[3].undecided);
  EXPECT_FALSE(history.attempts[4].undecided);
  state.candidates[2].demotion = "not confirmed";
  EXPECT_FALSE(campaign_history(state, supervised()).attempts[2].improvement);
}

TEST(CampaignHistory, ATieWithinWhatCountsIsNoDoubt) {
  CampaignState state = searching_after(0);
  CandidateState& tie = add_candidate(state, task::Outcome::indistinguishable);
  tie.gate_log_ratio = LogRatio{0, -1e-6, 1e-6};
  EXPECT_FALSE(campaign_history(state, supervised()).attempts[0].undecided);
}

TEST(DueSupervision, FindsAPlateauThenAsksThenWaits) {
  CampaignState state = searching_after(23);
  const CampaignConfiguration configuration = supervised();
  EXPECT_FALSE(due_supervision(state, configuration));
  add_candidate(state, task::Outcome::not_better);
  auto due = due_supervision(state, configuration);
  ASSERT_TRUE(due);
  ASSERT_TRUE(std::holds_alternative<SupervisorFound>(*due));
  ASSERT_TRUE(take(std::get<SupervisorFound>(*due), state));
  due = due_supervision(state, configuration);
  ASSERT_TRUE(due);
  ASSERT_TRUE(std::holds_alternative<DecisionAsked>(*due));
  ASSERT_TRUE(take(std::get<DecisionAsked>(*due), state));
  EXPECT_FALSE(due_supervision(state, configuration)) << "both were said";
  state.rounds_started = 4;
  due = due_supervision(state, configuration);
  ASSERT_TRUE(due);
  EXPECT_EQ(std::get<DecisionClosed>(*due).closing, Closing::deadline);
  ASSERT_TRUE(take(std::get<DecisionClosed>(*due), state));
  EXPECT_TRUE(state.supervision.stopped);
  EXPECT_FALSE(due_supervision(state, configuration));
}

TEST(DueSupervision, AsksNothingAtTheLastRound) {
  CampaignState state = searching_after(24);
  CampaignConfiguration configuration = supervised();
  configuration.rounds = 1;
  ASSERT_TRUE(take(std::get<SupervisorFound>(*due_supervision(state, configuration)), state));
  EXPECT_FALSE(due_supervision(state, configuration));
}

TEST(DueSupervision, OffersAnAgentsCampaignMore) {
  CampaignState state = searching_after(24);
  CampaignConfiguration configuration = supervised();
  configuration.agent = AgentPlan();
  ASSERT_TRUE(take(std::get<SupervisorFound>(*due_supervision(state, configuration)), state));
  const auto due = due_supervision(state, configuration);
  ASSERT_TRUE(due);
  EXPECT_THAT(std::get<DecisionAsked>(*due).options,
              ElementsAre(Option::go_on, Option::stop, Option::switch_model, Option::change_language,
                          Option::give_reference, Option::second_opinion, Option::restart_from));
}

TEST(DueSupervision, GivesUpARecoveryThatDidNotHelp) {
  CampaignState state = searching_after(0);
  const CampaignConfiguration configuration = supervised();
  for (int i = 0; i < 24; ++i) {
    add_candidate(state, i % 4 == 0 ? task::Outcome::not_better : task::Outcome::incorrect);
  }
  EXPECT_TRUE(supervision_settings(state, configuration).spent.empty());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(take(SupervisorFound{1, supervise::Condition::plateau, supervise::Cause::invalid_rate,
                                     supervise::Recovery::fix_prompt, 1, 24, "again"},
                     state));
  }
  EXPECT_THAT(supervision_settings(state, configuration).spent, ElementsAre(supervise::Cause::invalid_rate));
  state.reign.push_back(1);
  EXPECT_TRUE(supervision_settings(state, configuration).spent.empty()) << "another incumbent, another search";
}

class Answering : public ::testing::Test {
 protected:
  Answering() {
    configuration_.agent = AgentPlan();
    EXPECT_TRUE(take(std::get<SupervisorFound>(*due_supervision(state_, configuration_)), state_));
    EXPECT_TRUE(take(std::get<DecisionAsked>(*due_supervision(state_, configuration_)), state_));
  }

  std::string refusal(const PersonAnswer& answer, int decision = 1) const {
    const auto entry = answer_entry(configuration_, state_, decision, answer);
    EXPECT_FALSE(entry);
    EXPECT_EQ(entry.error().owner, base::Owner::input);
    return entry.error().message;
  }
  void answer(const PersonAnswer& given) {
    const auto entry = answer_entry(configuration_, state_, 1, given);
    ASSERT_TRUE(entry) << entry.error().text();
    ASSERT_TRUE(take(std::get<DecisionAnswered>(*entry), state_));
  }

  CampaignConfiguration configuration_ = supervised();
  CampaignState state_ = searching_after(24);
};

TEST_F(Answering, ThatDoesNotFitIsRefusedWithWhatWould) {
  EXPECT_THAT(refusal({"stop", "", " ", 0, ""}), HasSubstr("--by NAME"));
  EXPECT_THAT(refusal({"stop", "", "Ada", 0, ""}, 2), HasSubstr("asked no decision 2"));
  EXPECT_THAT(refusal({"sweep", "", "Ada", 0, ""}), HasSubstr("choose one of go_on, stop, switch_model"));
  EXPECT_THAT(refusal({"dance", "", "Ada", 0, ""}), HasSubstr("is no option"));
  EXPECT_THAT(refusal({"switch_model", "", "Ada", 0, ""}), HasSubstr("--value NAME"));
  EXPECT_THAT(refusal({"stop", "x", "Ada", 0, ""}), HasSubstr("takes no --value"));
  EXPECT_THAT(refusal({"restart_from", "25", "Ada", 0, ""}), HasSubstr("1 to 24"));
  EXPECT_THAT(refusal({"restart_from", "3x", "Ada", 0, ""}), HasSubstr("1 to 24"));
  EXPECT_THAT(refusal({"give_reference", "", "Ada", 0, " "}), HasSubstr("--because"));
  state_.candidates[2].outcome = task::Outcome::crashed;
  EXPECT_THAT(refusal({"restart_from", "3", "Ada", 0, ""}), HasSubstr("not correct"));
  answer({"go_on", "", "Ada", 0, ""});
  EXPECT_THAT(refusal({"stop", "", "Bob", 0, ""}), HasSubstr("answered by Ada"));
  state_.phase = Phase::finished;
  EXPECT_THAT(refusal({"stop", "", "Bob", 0, ""}), HasSubstr("nothing is changed"));
}

TEST_F(Answering, StopsTheSearch) {
  answer({"stop", "", "Ada", 90, "enough"});
  EXPECT_THAT(state_.supervision.stopped.value(), HasSubstr("Ada chose it"));
  EXPECT_EQ(state_.ledger.spent()[Resource::human_seconds], 90);
}

TEST_F(Answering, SwitchesTheModel) {
  answer({"switch_model", "another", "Ada", 0, ""});
  EXPECT_EQ(state_.supervision.model, "another");
}

TEST_F(Answering, NamesAnotherParent) {
  answer({"restart_from", "3", "Ada", 0, ""});
  EXPECT_EQ(state_.supervision.parent, 3);
}

TEST_F(Answering, TellsWhoeverProposes) {
  answer({"give_reference", "", "Ada", 0, "the paper on split-K"});
  EXPECT_THAT(notes_for_proposer(state_), ::testing::Contains("Ada decided to give_reference: the paper on split-K"));
}

TEST_F(Answering, IsAPersonsAndSoIsASteer) {
  EXPECT_TRUE(comes_from_person(*answer_entry(configuration_, state_, 1, {"stop", "", "Ada", 0, ""})));
  EXPECT_TRUE(comes_from_person(*steer_entry(configuration_, state_, "Ada", 0, "look")));
  EXPECT_FALSE(comes_from_person(DecisionClosed{1, Closing::deadline}));
  EXPECT_FALSE(steer_entry(configuration_, state_, "Ada", 0, " "));
  EXPECT_FALSE(steer_entry(configuration_, state_, "", 0, "look"));
}

TEST(SweepPermission, CountsCallsByTheBaselinesTimes) {
  CampaignState state = searching_after(1);
  CampaignConfiguration configuration = supervised();
  state.baseline_ns = {1e6, 3e6};
  configuration.policy.sweep.samples_per_pair = 3;
  configuration.policy.sweep.maximum_pairs = 10;
  configuration.policy.sweep.self_comparison = false;
  configuration.policy.replay.trials = 100;
  EXPECT_NEAR(most_sweep_seconds(state, configuration), 0.004 * (80 + 50), 1e-12);
  EXPECT_TRUE(sweep_permission(1, state, configuration).granted) << "no limit";
  configuration.supervision->ask_above_sweep_seconds = 10;
  EXPECT_TRUE(sweep_permission(1, state, configuration).granted);
  configuration.supervision->ask_above_sweep_seconds = 0.1;
  EXPECT_TRUE(sweep_permission(1, state, configuration).question);
}

// 10 % above the floor in one regime and 20 % in the other, when the baseline was measured.
CampaignState near_the_roofline(int losers) {
  CampaignState state = searching_after(losers);
  state.regimes = {{"n 1..2", {0, 1}, 0, 0.5}, {"n 4..8", {2, 3}, 2, 0.5}};
  state.memory.environment = "here";
  state.memory.evidence = {{task::EvidenceKind::headroom, "n 1..2", std::log(1.1), "memory", "e", "here"},
                           {task::EvidenceKind::headroom, "n 4..8", std::log(1.2), "memory", "e", "here"}};
  return state;
}

TEST(CampaignHistory, KnowsHowNearTheRooflineIs) {
  CampaignState state = near_the_roofline(1);
  const double at_first = (std::log(1.1) + std::log(1.2)) / 2;
  EXPECT_NEAR(campaign_history(state, supervised()).headroom.value(), at_first, 1e-12);
  state.incumbent = 1;
  state.candidates[0].log_ratio_to_baseline = -0.11;
  state.candidates[0].log_ratio_to_baseline_upper = -0.1;
  EXPECT_NEAR(campaign_history(state, supervised()).headroom.value(), at_first - 0.1, 1e-12)
      << "less what was surely gained";
  CampaignConfiguration before = supervised();
  before.supervision->habits = 1;
  EXPECT_FALSE(campaign_history(state, before).headroom) << "campaigns of before come to what they came to";
  state.memory.environment = "elsewhere";
  EXPECT_FALSE(campaign_history(state, supervised()).headroom) << "evidence expires with its environment";
  state.memory.environment = "here";
  state.memory.evidence.pop_back();
  EXPECT_FALSE(campaign_history(state, supervised()).headroom) << "one regime is not modelled";
}

TEST(Supervision, APlateauAtTheRooflineEndsTheSearch) {
  CampaignState state = near_the_roofline(40);
  state.incumbent = 1;
  state.candidates[0].log_ratio_to_baseline_upper = -0.12;
  const auto due = due_supervision(state, supervised());
  ASSERT_TRUE(due);
  const auto& found = std::get<SupervisorFound>(*due);
  EXPECT_EQ(found.condition, supervise::Condition::plateau);
  EXPECT_EQ(found.cause, supervise::Cause::roofline);
  EXPECT_EQ(found.recovery, supervise::Recovery::stop);
  EXPECT_THAT(found.evidence, HasSubstr("are left above what the device allows"));
}

// Asked about a search, a person may close a route of which the memory knows.
TEST(Supervision, OffersToCloseARouteThatWasTakenAndClosesIt) {
  CampaignState state = searching_after(40);
  HypothesisState& hypothesis = state.memory.hypotheses.emplace_back();
  hypothesis.number = 1;
  hypothesis.stated.mechanism = "wider loads";
  hypothesis.candidate = 1;
  const auto found = due_supervision(state, supervised());
  ASSERT_TRUE(found);
  ASSERT_TRUE(take(std::get<SupervisorFound>(*found), state));
  const auto asked = due_supervision(state, supervised());
  ASSERT_TRUE(asked && std::holds_alternative<DecisionAsked>(*asked));
  EXPECT_THAT(std::get<DecisionAsked>(*asked).options, ::testing::Contains(Option::close_route));
  CampaignConfiguration before = supervised();
  before.supervision->habits = 1;
  EXPECT_THAT(std::get<DecisionAsked>(*due_supervision(state, before)).options,
              ::testing::Not(::testing::Contains(Option::close_route)));
  ASSERT_TRUE(take(std::get<DecisionAsked>(*asked), state));

  const auto answer = [&](const std::string& value) {
    return answer_entry(supervised(), state, 1, {"close_route", value, "Ada", 0, "they are wide"});
  };
  for (const char* wrong : {"", "x", "0", "2", "1x"}) {
    EXPECT_FALSE(answer(wrong)) << wrong;
  }
  const auto answered = answer("1");
  ASSERT_TRUE(answered) << answered.error().text();
  ASSERT_TRUE(take(std::get<DecisionAnswered>(*answered), state));
  EXPECT_EQ(state.memory.hypotheses[0].closed_by, "Ada");
  EXPECT_TRUE(repeated_route(state.memory, 0, state.memory.hypotheses[0].stated));
}

}  // namespace
}  // namespace assay::control
