// Runs of agents in a campaign's journal: what they cost, what a kill does to the books, and where a budget stops them.
#include <assay/control/agent_runs.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/agent/prompt.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::HasSubstr;
using testing::Laboratory;
using testing::must;
using ::testing::SizeIs;

CampaignConfiguration with_agent(std::int64_t micro_dollars) {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied.clear();
  configuration.rounds = 3;
  configuration.candidates_per_round = 1;
  AgentPlan plan;
  plan.word = "codex";
  plan.micro_dollars_per_run = 100;
  plan.budget[Resource::micro_dollars] = micro_dollars;
  configuration.agent = plan;
  return configuration;
}

// Proposes one new solution a run, told to the journal as an agent's proposer does; dies where it is told to.
class RunTeller final : public agent::Proposer {
 public:
  struct Died {};

  [[nodiscard]] std::string name() const override { return "codex"; }
  void attend(const agent::Situation& situation, agent::RunJournal& journal) override {
    situation_ = situation;
    journal_ = &journal;
  }
  base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history, int /*count*/) override {
    agent::RunIntent intent;
    intent.agent = name();
    intent.most = most;
    const auto id = journal_->intend(intent);
    if (!id) {
      return std::vector<agent::Proposal>();
    }
    if (dies) {
      dies = false;
      throw Died();
    }
    agent::RunEnding ending;
    ending.id = *id;
    ending.outcome = agent::RunOutcome::finished;
    ending.spend = spend;
    ending.session = "s-" + *id;
    ASSAY_TRY(journal_->end(ending));
    trials = history;
    agent::Proposal proposal;
    proposal.solution = testing::sample_solution(*id, "y = " + *id + ";\n// speed: 1.3\n");
    proposal.hypothesis.change = "change of " + *id;
    return std::vector{proposal};
  }

  bool dies = false;
  agent::Usage most{{}, 0.0001};
  agent::Spend spend{agent::Certainty::exact, {{10, 0, 0, 5, 0}, 0.00004}};
  agent::Situation situation_;
  std::vector<agent::Trial> trials;

 private:
  agent::RunJournal* journal_ = nullptr;
};

CampaignState run_with(Laboratory& laboratory, RunTeller& teller) {
  return must(run_campaign(laboratory.archive(), "scale-search", laboratory.evaluator(), teller, {}));
}

TEST(AgentRuns, AreBookedAndTheirCandidatesJudged) {
  Laboratory laboratory(with_agent(1000));
  RunTeller teller;
  const CampaignState state = run_with(laboratory, teller);
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_THAT(state.candidates, SizeIs(3));
  EXPECT_EQ(state.agent_runs, 3);
  EXPECT_EQ(state.ledger.spent()[Resource::micro_dollars], 120);
  EXPECT_EQ(state.ledger.spent()[Resource::tokens], 45);
  EXPECT_TRUE(state.ledger.open().empty());
  // What it is told: regimes that were measured, what is left, and what became of its earlier candidates.
  EXPECT_FALSE(teller.situation_.regimes.empty());
  EXPECT_GT(teller.situation_.regimes[0].baseline_ns, 0);
  EXPECT_FALSE(teller.situation_.regimes[0].headroom);
  EXPECT_THAT(teller.situation_.remaining.at(0), HasSubstr("$0.0009"));
  ASSERT_THAT(teller.trials, SizeIs(2));
  EXPECT_THAT(teller.trials[1].change, HasSubstr("change of scale-search-run-2"));
}

TEST(AgentRuns, ALostAccountIsBookedAtWhatWasSetAsideAndTheBudgetStops) {
  Laboratory laboratory(with_agent(250));
  RunTeller teller;
  teller.spend = {};
  const CampaignState state = run_with(laboratory, teller);
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.agent_runs, 2);
  EXPECT_EQ(state.ledger.spent()[Resource::micro_dollars], 200);
  EXPECT_THAT(state.budget_reached, HasSubstr("raise it"));
  const auto kinds = laboratory.kinds();
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "budget_reached"), 1);
}

TEST(AgentRuns, ARunWhoseControllerDiedIsPaidForAndMadeAgain) {
  Laboratory laboratory(with_agent(1000));
  RunTeller teller;
  teller.dies = true;
  EXPECT_THROW(run_with(laboratory, teller), RunTeller::Died);
  EXPECT_EQ(laboratory.state().ledger.open().size(), 1U);
  laboratory.reopen();
  const CampaignState state = run_with(laboratory, teller);
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.agent_runs, 4);
  EXPECT_EQ(state.agent_outcomes.front(), agent::RunOutcome::interrupted);
  EXPECT_EQ(state.ledger.spent()[Resource::micro_dollars], 100 + 3 * 40);
  EXPECT_EQ(laboratory.state().ledger.spent(), state.ledger.spent());
}

// A journal that the runs write into, at the moment when proposals are due.
struct Books {
  CampaignConfiguration configuration = with_agent(1'000'000);
  CampaignState state;
  AgentRuns runs{configuration, state, [this](const Entry& entry) {
                   auto [kind, body] = encode_entry(entry);
                   return apply(configuration, {state.last_sequence + 1, std::move(kind), std::move(body), {}}, state);
                 }};

  Books() {
    auto [kind, body] = encode_entry(CampaignStarted{});
    must(apply(configuration, {1, std::move(kind), std::move(body), {}}, state));
    state.phase = Phase::searching;
  }

  void run(const std::string& arm, agent::RunOutcome outcome) {
    agent::RunEnding ending;
    ending.id = must(runs.intend({arm, {}, {}}));
    ending.outcome = outcome;
    ending.spend = {agent::Certainty::exact, {{1, 0, 0, 1, 0}, 0.25}};
    must(runs.end(ending));
  }
};

TEST(AgentRuns, AnArmThatWasChosenIsKeptUntilItsRunBegins) {
  Books books;
  EXPECT_EQ(must(books.runs.choose({"a", "b"})), 0U);
  EXPECT_EQ(must(books.runs.choose({"a", "b"})), 0U);
  EXPECT_EQ(books.state.arms_chosen, 1) << "a controller that died in between does not draw again";
  EXPECT_EQ(books.state.arm_pending, "a");
  EXPECT_EQ(must(books.runs.choose({"b"})), 0U) << "it is left out now";
  EXPECT_EQ(books.state.arms_chosen, 2);
  books.run("b", agent::RunOutcome::finished);
  EXPECT_EQ(books.state.arm_pending, "");
  ASSERT_THAT(books.state.runs, SizeIs(1));
  EXPECT_EQ(books.state.runs[0].agent, "b");
  EXPECT_EQ(books.state.runs[0].micro_dollars, 250'000);
  EXPECT_EQ(must(books.runs.choose({"a", "b"})), 0U) << "a has not been tried";
}

TEST(AgentRuns, WhatTheEnvironmentEndedIsNoTrial) {
  Books books;
  books.run("a", agent::RunOutcome::finished);
  books.run("b", agent::RunOutcome::quota);
  EXPECT_EQ(must(books.runs.choose({"a", "b"})), 1U);
}

TEST(AgentRuns, AConfigurationKeepsItsArms) {
  CampaignConfiguration configuration = with_agent(250);
  configuration.agent->others = {{"claude", "opus", configuration.baseline}, {"claude", "", std::nullopt}};
  const auto read = must(decode_configuration(encode(configuration), "test"));
  const auto arms = read.agent->arms();
  ASSERT_THAT(arms, SizeIs(3));
  EXPECT_EQ(arm_name(arms[1], false), "claude (opus, cpp)");
  EXPECT_EQ(arm_name(arms[2], false), "claude");
  EXPECT_EQ(arms[1].origin->name, configuration.baseline.name);
  configuration.agent->others.push_back({"claude", "", std::nullopt});
  const auto twice = decode_configuration(encode(configuration), "test");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().text(), HasSubstr("/agent/others/2: is there twice"));
}

// One run that lasts over all rounds: intended in the first, ended in the third.
class LongRun final : public agent::Proposer {
 public:
  [[nodiscard]] std::string name() const override { return "codex"; }
  [[nodiscard]] bool is_running() const override { return running_; }
  void attend(const agent::Situation& /*situation*/, agent::RunJournal& journal) override { journal_ = &journal; }
  base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history, int /*count*/) override {
    if (history.empty()) {
      ASSAY_TRY_ASSIGN(id_, journal_->intend({name(), {{}, 0.0001}, {}}));
      running_ = true;
    } else if (history.size() == 2) {
      running_ = false;
      ASSAY_TRY(
          journal_->end({id_, agent::RunOutcome::finished, "", "", "", {agent::Certainty::exact, {{}, 0.00004}}, {}}));
    }
    const std::string text = "y = " + std::to_string(history.size()) + ";\n// speed: 1.3\n";
    return std::vector{agent::Proposal{testing::sample_solution("job", text), {}, std::nullopt}};
  }

 private:
  bool running_ = false;
  std::string id_;
  agent::RunJournal* journal_ = nullptr;
};

TEST(AgentRuns, OneThatLastsOverSeveralRoundsIsNotTakenForAbandoned) {
  Laboratory laboratory(with_agent(1000));
  LongRun agent;
  const CampaignState state =
      must(run_campaign(laboratory.archive(), "scale-search", laboratory.evaluator(), agent, {}));
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_THAT(state.candidates, SizeIs(3));
  EXPECT_EQ(state.agent_runs, 1);
  EXPECT_THAT(state.agent_outcomes, SizeIs(1));
  EXPECT_EQ(state.agent_outcomes.front(), agent::RunOutcome::finished);
  EXPECT_EQ(state.ledger.spent()[Resource::micro_dollars], 40);
  EXPECT_TRUE(state.ledger.open().empty());
}

// Whoever keeps to what is set aside for a run never passes the limit, and the run that could is not made.
TEST(AgentRuns, ACampaignOfOneDollarOrAThousandTokensStopsInsideIt) {
  for (const Resource resource : {Resource::micro_dollars, Resource::tokens}) {
    SCOPED_TRACE(to_string(resource));
    CampaignConfiguration configuration = with_agent(1'000'000'000);
    configuration.rounds = 9;
    const std::int64_t limit = resource == Resource::tokens ? 1000 : 1'000'000;
    configuration.agent->budget[resource] = limit;
    Laboratory laboratory(configuration);
    RunTeller teller;
    teller.most = {{400, 0, 0, 0, 0}, 0.4};
    teller.spend = {agent::Certainty::exact, {{250, 0, 0, 50, 0}, 0.3}};
    const CampaignState state = run_with(laboratory, teller);
    EXPECT_EQ(state.phase, Phase::finished);
    // 0.3 and 0.3 are spent, 0.4 are left for the third; before the fourth 0.1.
    EXPECT_EQ(state.agent_runs, 3);
    EXPECT_EQ(state.ledger.spent()[resource], limit * 9 / 10);
    EXPECT_LE(state.ledger.spent()[resource], limit);
    EXPECT_FALSE(state.budget_reached.empty());
  }
}

TEST(AgentRuns, OfALimitedWallARunGetsWhatIsLeftBesideTheJudging) {
  CampaignConfiguration configuration = with_agent(1'000'000);
  configuration.budget[Resource::wall_ms] = 300'000;
  CampaignState state;
  state.ledger = Ledger(budget_of(configuration));
  state.phase = Phase::searching;
  std::vector<Entry> written;
  AgentRuns runs(configuration, state, [&](const Entry& entry) -> base::Result<void> {
    written.push_back(entry);
    return {};
  });
  using std::chrono::milliseconds;
  EXPECT_EQ(runs.allowed_wall(milliseconds(1000)), milliseconds(1000));
  EXPECT_EQ(runs.allowed_wall(milliseconds(900'000)), milliseconds(300'000));
  state.dearest[Purpose::gate][Resource::wall_ms] = 60'000;
  EXPECT_EQ(runs.allowed_wall(milliseconds(900'000)), milliseconds(240'000));
  // What was set aside for a run that is under way is its own.
  Amounts most;
  most[Resource::wall_ms] = 200'000;
  must(state.ledger.reserve("r", most));
  state.runs.push_back({"r", "codex", 1, std::nullopt, std::nullopt, {}, {}});
  EXPECT_EQ(runs.allowed_wall(milliseconds(900'000)), milliseconds(200'000));
}

TEST(AgentRuns, ThoseOfTheRoundThatIsUnderWayAreTold) {
  Laboratory laboratory(with_agent(1000));
  RunTeller teller;
  teller.spend = {agent::Certainty::exact, {{10, 0, 0, 5, 0}, 0.00004}};
  const CampaignState state = run_with(laboratory, teller);
  ASSERT_THAT(state.runs, SizeIs(3));
  EXPECT_EQ(state.runs_of_earlier_rounds, 3U);
  EXPECT_EQ(state.runs[1].id, "scale-search-run-2");
  EXPECT_EQ(state.runs[1].session, "s-scale-search-run-2") << "sessions survive";
  AgentRuns runs(with_agent(1000), state, {});
  EXPECT_TRUE(runs.earlier().empty());
  EXPECT_THAT(runs.of_session("s-scale-search-run-2"), ::testing::ElementsAre("scale-search-run-2"));
}

TEST(AgentRuns, AConfigurationKeepsItsAgentAndOldOnesStayAsTheyWere) {
  const CampaignConfiguration configuration = with_agent(250);
  const auto read = must(decode_configuration(encode(configuration), "test"));
  ASSERT_TRUE(read.agent);
  EXPECT_EQ(read.agent->word, "codex");
  EXPECT_EQ(read.agent->budget, configuration.agent->budget);
  EXPECT_FALSE(read.agent->tools);
  EXPECT_FALSE(encode(configuration)["agent"].contains("tools")) << "stored as it ever was";
  CampaignConfiguration with_tools = configuration;
  with_tools.agent->tools = true;
  EXPECT_TRUE(must(decode_configuration(encode(with_tools), "test")).agent->tools);
  EXPECT_FALSE(encode(testing::sample_configuration()).contains("agent"));
}

}  // namespace
}  // namespace assay::control
