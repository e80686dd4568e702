// The journal of a campaign with three roles: what it refuses, and what a resumed one is told.
#include <assay/control/role_events.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/control/agent_runs.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Laboratory;
using testing::must;

agent::JudgedClaim claim(int candidate, agent::ClaimStatus status) {
  return {{candidate, agent::ClaimKind::outcome, "", "better", agent::ClaimAgainst::none, 0}, status, "it is better"};
}

// A campaign whose supplied candidates are judged and whose first round is due.
class RoleEventsTest : public ::testing::Test {
 protected:
  RoleEventsTest() : configuration_(searching_configuration()), laboratory_(configuration_) {
    must(laboratory_.run());
    for (const archive::Event& event : must(laboratory_.archive().events(configuration_.name))) {
      if (event.kind == CandidatesProposed::kKind && must(round_of(event)) == 1) {
        break;
      }
      must(apply(configuration_, event, state_));
    }
  }

  static CampaignConfiguration searching_configuration() {
    CampaignConfiguration configuration = testing::sample_configuration();
    configuration.rounds = 1;
    return configuration;
  }

  static base::Result<int> round_of(const archive::Event& event) {
    ASSAY_TRY_ASSIGN(const Entry entry, decode_entry(event));
    return std::get<CandidatesProposed>(entry).round;
  }

  base::Result<void> apply_next(const Entry& entry) {
    auto [kind, body] = encode_entry(entry);
    CampaignState next = state_;
    ASSAY_TRY(apply(configuration_, {state_.last_sequence + 1, kind, body, {}}, next));
    state_ = next;
    return {};
  }

  CampaignConfiguration configuration_;
  Laboratory laboratory_;
  CampaignState state_;
};

TEST_F(RoleEventsTest, APlanIsOfTheNextRoundOnceAndNamesCandidates) {
  const agent::PlannedHypothesis good{5, "all", "m", "m", "c", 1.2};
  EXPECT_FALSE(apply_next(RoundPlanned{{2, "r", {}, {good}, {}}})) << "round 1 is next";
  agent::PlannedHypothesis stranger = good;
  stranger.parent = 99;
  EXPECT_FALSE(apply_next(RoundPlanned{{1, "r", {}, {stranger}, {}}}));
  must(apply_next(RoundPlanned{{1, "r", {{5, 0, "cell"}}, {good}, {}}}));
  EXPECT_FALSE(apply_next(RoundPlanned{{1, "r", {}, {good}, {}}})) << "it has a plan";
  EXPECT_EQ(state_.plans.at(0).hypotheses, std::vector{good});
}

TEST_F(RoleEventsTest, SummariesAreAboutKnownCandidatesInTheirOrder) {
  EXPECT_FALSE(apply_next(CandidatesSummarised{{"r", 99, {}, {}}}));
  must(apply_next(CandidatesSummarised{{"r", 5, {claim(5, agent::ClaimStatus::checked)}, {}}}));
  EXPECT_FALSE(apply_next(CandidatesSummarised{{"r", 5, {}, {}}}));
  must(apply_next(CandidatesSummarised{{"r", 6, {}, {}}}));
}

TEST_F(RoleEventsTest, OnlyWhatWasCheckedIsToldAndChangesNothingElse) {
  const auto outcomes = [&] {
    std::vector<std::optional<task::Outcome>> all;
    for (const CandidateState& one : state_.candidates) {
      all.push_back(one.outcome);
    }
    return all;
  };
  const auto before = outcomes();
  must(apply_next(
      CandidatesSummarised{{"r",
                            6,
                            {claim(5, agent::ClaimStatus::checked), claim(2, agent::ClaimStatus::contradicted),
                             claim(3, agent::ClaimStatus::unverifiable)},
                            {}}}));
  EXPECT_EQ(outcomes(), before);
  const agent::RoleMemory memory = role_memory(state_);
  EXPECT_THAT(memory.lessons, ElementsAre("candidate 5 is better"));
  EXPECT_EQ(memory.summarised, 6);
  EXPECT_EQ(memory.round, 1);
  EXPECT_FALSE(memory.plan);
}

TEST_F(RoleEventsTest, AResumedRoundFindsItsPlanAndALaterOneDoesNot) {
  must(apply_next(RoundPlanned{{1, "r", {}, {{0, "all", "m", "m", "c", 1.2}}, {}}}));
  ASSERT_TRUE(role_memory(state_).plan);
  EXPECT_EQ(role_memory(state_).plan->run, "r");
  state_.rounds_started = 1;
  EXPECT_FALSE(role_memory(state_).plan);
  EXPECT_EQ(role_memory(state_).round, 2);
  EXPECT_THAT(role_memory(CampaignState{}).lessons, IsEmpty());
}

// Plans each round once, and dies after the plan of the first.
class DyingPlanner final : public agent::Proposer {
 public:
  [[nodiscard]] std::string name() const override { return "planner"; }
  void attend(const agent::Situation& situation, agent::RunJournal& journal) override {
    situation_ = situation;
    journal_ = &journal;
  }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history,
                                                                   int /*count*/) override {
    if (!situation_.roles.plan) {
      ++planned;
      agent::RoundPlan plan;
      plan.round = situation_.roles.round;
      plan.hypotheses = {{0, "all", "m", "m", "round " + std::to_string(plan.round), 1.2}};
      must(journal_->keep(plan));
      if (!died_) {
        died_ = true;
        throw testing::Killed();
      }
      situation_.roles.plan = plan;
    }
    seen.push_back(situation_.roles.plan->hypotheses.at(0).change);
    EXPECT_EQ(history.back().round, situation_.roles.round - 1) << "the trials know their rounds";
    const std::string body = "y = x + x + 0 * " + std::to_string(situation_.roles.round) + ";\n// speed: 1.1\n";
    const task::Solution solution = testing::sample_solution(seen.back(), body);
    return std::vector<agent::Proposal>{
        {solution, agent::stated(situation_.roles.plan->hypotheses.at(0)), std::nullopt}};
  }

  int planned = 0;
  std::vector<std::string> seen;

 private:
  agent::Situation situation_;
  agent::RunJournal* journal_ = nullptr;
  bool died_ = false;
};

TEST(RolesInACampaign, AControllerThatDiesAfterThePlanGoesOnWithIt) {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.rounds = 2;
  Laboratory laboratory(configuration);
  DyingPlanner planner;
  EXPECT_THROW(
      static_cast<void>(run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), planner, {})),
      testing::Killed);
  laboratory.reopen();
  const CampaignState state =
      must(run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), planner, {}));
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(planner.planned, 2) << "once a round";
  EXPECT_THAT(planner.seen, ElementsAre("round 1", "round 2"));
  ASSERT_EQ(state.plans.size(), 2U);
  EXPECT_EQ(laboratory.state().plans.at(1).hypotheses.at(0).change, "round 2") << "it is in the journal";
}

// Proposes one candidate a round, and at the end says what it is told to.
class ConcludingAgent final : public agent::Proposer {
 public:
  [[nodiscard]] std::string name() const override { return "roles"; }
  void attend(const agent::Situation& situation, agent::RunJournal& journal) override {
    round_ = situation.roles.round;
    journal_ = &journal;
  }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& /*history*/,
                                                                   int /*count*/) override {
    const std::string number = std::to_string(round_);
    return std::vector<agent::Proposal>{
        {testing::sample_solution("try-" + number, "y = try_" + number + "(x);\n// speed: 1.1\n"), {}, std::nullopt}};
  }
  [[nodiscard]] base::Result<void> conclude(const std::vector<agent::Trial>& history) override {
    ++concluded;
    if (!keeps) {
      return {};
    }
    return journal_->keep(agent::Summary{"r", history.back().number, {}, {}});
  }
  bool keeps = true;
  int concluded = 0;

 private:
  int round_ = 0;
  agent::RunJournal* journal_ = nullptr;
};

CampaignConfiguration with_three_roles() {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied.clear();
  configuration.rounds = 2;
  configuration.candidates_per_round = 1;
  configuration.agent.emplace().word = "codex";
  configuration.agent->full_agent = FullAgentPlan{"codex", "codex"};
  return configuration;
}

TEST(RolesInACampaign, TheLastRoundIsSummarisedOnceBeforeTheEnd) {
  for (const bool keeps : {true, false}) {
    const CampaignConfiguration configuration = with_three_roles();
    Laboratory laboratory(configuration);
    ConcludingAgent roles;
    roles.keeps = keeps;
    const CampaignState state =
        must(run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), roles, {}));
    EXPECT_EQ(state.phase, Phase::finished);
    EXPECT_EQ(roles.concluded, 1);
    ASSERT_EQ(state.summaries.size(), 1U);
    EXPECT_EQ(state.summaries[0].up_to, 2);
    EXPECT_EQ(state.summaries[0].run, keeps ? "r" : "");
    EXPECT_EQ(state.summaries[0].faults.empty(), keeps) << "that nobody summarised is written down";
  }
}

TEST(RolesInACampaign, CampaignsOfBeforeEndAsTheyDid) {
  CampaignConfiguration configuration = with_three_roles();
  configuration.agent->full_agent->summarise_last = false;
  EXPECT_FALSE(encode(configuration)["agent"]["full_agent"].contains("summarise_last"));
  EXPECT_FALSE(must(decode_configuration(encode(configuration), "stored")).agent->full_agent->summarise_last);
  EXPECT_TRUE(must(decode_configuration(encode(with_three_roles()), "stored")).agent->full_agent->summarise_last);
  Laboratory laboratory(configuration);
  ConcludingAgent roles;
  const CampaignState state =
      must(run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), roles, {}));
  EXPECT_EQ(roles.concluded, 0);
  EXPECT_TRUE(state.summaries.empty());
}

}  // namespace
}  // namespace assay::control
