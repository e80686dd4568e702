#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <assay/control/agent_runs.hpp>
#include <assay/control/campaign.hpp>
#include <assay/control/mailbox.hpp>
#include <assay/control/person.hpp>
#include <assay/control/sample_campaign.hpp>
#include <assay/control/situation.hpp>
#include <assay/control/supervision.hpp>

// Whole campaigns under supervision, on a simulated device.
namespace assay::control {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Laboratory;
using testing::must;
using ::testing::Not;

// Proposes candidates that lose, but for one number that wins.
class Loser final : public agent::Proposer {
 public:
  explicit Loser(std::string behaviour = "// speed: 1.2\n", int winner = 0)
      : behaviour_(std::move(behaviour)), winner_(winner) {}

  [[nodiscard]] std::string name() const override { return "loser"; }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history,
                                                                   int count) override {
    std::vector<agent::Proposal> proposals;
    for (int i = 0; i < count; ++i) {
      const int number = static_cast<int>(history.size()) + i + 1;
      const std::string behaviour = number == winner_ ? "// speed: 0.5\n" : behaviour_;
      proposals.push_back({testing::sample_solution(fmt::format("try-{}", number),
                                                    fmt::format("y = try_{}(x);\n{}", number, behaviour)),
                           {"all", "unknown", "something", "faster"},
                           std::nullopt});
    }
    return proposals;
  }

 private:
  std::string behaviour_;
  int winner_;
};

CampaignConfiguration long_campaign() {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied.clear();
  configuration.rounds = 10;
  configuration.candidates_per_round = 8;
  configuration.supervision = Supervision();
  return configuration;
}

CampaignState drive(Laboratory& laboratory, const CampaignConfiguration& configuration, agent::Proposer& proposer) {
  return must(run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), proposer, {}));
}

TEST(SupervisedCampaign, AsksAboutAPlateauAndStopsWhenNobodyAnswers) {
  const CampaignConfiguration configuration = long_campaign();
  Laboratory laboratory(configuration);
  Loser proposer;
  const CampaignState state = drive(laboratory, configuration, proposer);
  EXPECT_EQ(state.phase, Phase::finished);
  ASSERT_EQ(state.supervision.decisions.size(), 1U);
  const DecisionState& decision = state.supervision.decisions.front();
  EXPECT_EQ(decision.asked.round, 3) << "24 candidates";
  EXPECT_EQ(decision.asked.deadline, 6);
  EXPECT_EQ(decision.asked.otherwise, Option::stop);
  EXPECT_THAT(decision.asked.options, Not(Contains(Option::switch_model))) << "there is no model";
  ASSERT_TRUE(decision.closed);
  EXPECT_EQ(decision.closed->closing, Closing::deadline);
  EXPECT_EQ(state.rounds_started, 6) << "of ten";
  EXPECT_THAT(*state.supervision.stopped, HasSubstr("nobody answered"));
  EXPECT_EQ(laboratory.state().supervision.decisions.size(), 1U) << "the journal says the same";
}

TEST(SupervisedCampaign, IsLeftAloneWithoutSupervision) {
  CampaignConfiguration configuration = long_campaign();
  configuration.supervision.reset();
  configuration.rounds = 4;
  Laboratory laboratory(configuration);
  Loser proposer;
  const CampaignState state = drive(laboratory, configuration, proposer);
  EXPECT_EQ(state.rounds_started, 4);
  EXPECT_TRUE(state.supervision.findings.empty());
  EXPECT_THAT(laboratory.kinds(), Not(Contains("supervisor_found")));
}

TEST(SupervisedCampaign, AnImprovementOvertakesTheQuestion) {
  const CampaignConfiguration configuration = long_campaign();
  Laboratory laboratory(configuration);
  Loser proposer("// speed: 1.2\n", 30);  // In the round after the question.
  const CampaignState state = drive(laboratory, configuration, proposer);
  ASSERT_FALSE(state.supervision.decisions.empty());
  ASSERT_TRUE(state.supervision.decisions.front().closed);
  EXPECT_EQ(state.supervision.decisions.front().closed->closing, Closing::overtaken);
  EXPECT_EQ(state.incumbent, 30);
  EXPECT_GT(state.rounds_started, 6);
}

TEST(SupervisedCampaign, OfFailuresTellsWhoeverProposes) {
  const CampaignConfiguration configuration = long_campaign();
  Laboratory laboratory(configuration);
  Loser proposer("// outcome: incorrect\n");
  const CampaignState state = drive(laboratory, configuration, proposer);
  ASSERT_FALSE(state.supervision.findings.empty());
  const SupervisorFound& first = state.supervision.findings.front().found;
  EXPECT_EQ(first.condition, supervise::Condition::stall);
  EXPECT_EQ(first.cause, supervise::Cause::invalid_rate);
  EXPECT_EQ(first.recovery, supervise::Recovery::fix_prompt);
  EXPECT_EQ(first.round, 2) << "eleven are enough";
  EXPECT_THAT(situation_of(configuration, state).notes, Contains(HasSubstr("judged attempts (100 %) failed")));
}

// Undecided gates: wide intervals about nothing.
TEST(SupervisedCampaign, InTheNoiseBuysRepeats) {
  CampaignConfiguration configuration = long_campaign();
  configuration.policy.gate.minimum_pairs = configuration.policy.gate.maximum_pairs = 2;
  configuration.policy.gate.samples_per_pair = 1;
  configuration.policy.gate.alpha = 0.0001;
  configuration.policy.gate.futility = 0;
  Laboratory laboratory(configuration);
  Loser proposer("// speed: 1.0\n");
  const CampaignState state = drive(laboratory, configuration, proposer);
  ASSERT_FALSE(state.supervision.findings.empty());
  EXPECT_EQ(state.supervision.findings.front().found.recovery, supervise::Recovery::buy_repeats);
  EXPECT_GE(state.supervision.repeats_factor, 2);
  const auto& requests = laboratory.evaluator().requests;
  const auto pairs_of = [&](const std::string& part) {
    const auto found = std::find_if(requests.begin(), requests.end(), [&](const task::EvaluationRequest& one) {
      return one.id.find(part) != std::string::npos;
    });
    return found == requests.end() ? 0 : found->plan.maximum_pairs;
  };
  EXPECT_EQ(pairs_of("-24-gate-"), 2);
  EXPECT_EQ(pairs_of("-25-gate-"), 4);
}

TEST(SupervisedCampaign, TakesWhatAPersonLeftWhileItRuns) {
  const CampaignConfiguration configuration = long_campaign();
  Laboratory laboratory(configuration);
  Loser proposer;
  const os::Path root = laboratory.archive().root();
  Observer observer;
  bool left = false;
  observer.on_event = [&](const CampaignState& state, const std::string& /*line*/) {
    if (!left && state.supervision.open_decision(DecisionKind::search) != nullptr) {
      left = true;
      must(leave_message(root, configuration.name,
                         must(answer_entry(configuration, state, 1, {"go_on", "", "Ada", 120, "it will come"}))));
      must(leave_message(root, configuration.name, must(steer_entry(configuration, state, "Bob", 60, "try\nvectors"))));
    }
  };
  const CampaignState state =
      must(run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), proposer, observer));
  ASSERT_TRUE(left);
  ASSERT_TRUE(state.supervision.decisions.front().answered);
  EXPECT_EQ(state.supervision.decisions.front().answered->by, "Ada");
  EXPECT_GT(state.rounds_started, 6) << "the answer was taken before the deadline";
  ASSERT_EQ(state.supervision.steers.size(), 1U);
  EXPECT_EQ(state.ledger.spent()[Resource::human_seconds], 180);
  EXPECT_TRUE(must(waiting_messages(root, configuration.name)).empty());
}

// The file of a message whose removal was lost with the power is read again.
TEST(SupervisedCampaign, TakesNoMessageTwice) {
  CampaignConfiguration configuration = long_campaign();
  configuration.rounds = 1;
  Laboratory laboratory(configuration);
  Loser proposer;
  const Entry steer = PersonSteered{"k1", "Ada", 60, "look"};
  must(leave_message(laboratory.archive().root(), configuration.name, steer));
  must(leave_message(laboratory.archive().root(), configuration.name, steer));
  const CampaignState state = drive(laboratory, configuration, proposer);
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.supervision.steers.size(), 1U);
  EXPECT_EQ(state.ledger.spent()[Resource::human_seconds], 60);
}

class DearSweep : public ::testing::Test {
 protected:
  DearSweep() {
    configuration_.rounds = 1;
    configuration_.supervision->ask_above_sweep_seconds = 0.001;
    laboratory_.emplace(configuration_);
  }

  CampaignState continued() { return drive(*laboratory_, configuration_, proposer_); }
  void say(const CampaignState& state, const std::string& option) {
    const Entry entry = must(answer_entry(configuration_, state, 1, {option, "", "Ada", 30, "worth it"}));
    must(laboratory_->archive().append({configuration_.name, state.last_sequence, {encode_entry(entry)}}));
  }

  CampaignConfiguration configuration_ = long_campaign();
  std::optional<Laboratory> laboratory_;
  Loser proposer_{"// speed: 1.2\n", 3};
};

TEST_F(DearSweep, WaitsForAPerson) {
  const CampaignState waiting = continued();
  EXPECT_EQ(waiting.phase, Phase::searching);
  const DecisionState* decision = waiting.supervision.open_decision(DecisionKind::spend);
  ASSERT_NE(decision, nullptr);
  EXPECT_EQ(decision->asked.candidate, 3);
  EXPECT_THAT(decision->asked.question, HasSubstr("not spent unasked"));
  say(waiting, "sweep");
  const CampaignState state = continued();
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.incumbent, 3);
}

TEST_F(DearSweep, IsNotMadeIfThePersonDoesNotWantIt) {
  say(continued(), "skip");
  const CampaignState state = continued();
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_FALSE(state.incumbent);
  ASSERT_TRUE(state.candidate(3).outrun);
  EXPECT_THAT(state.candidate(3).outrun->why, HasSubstr("Ada did not want to pay"));
}

TEST_F(DearSweep, IsNotMadeIfTheCampaignIsContinuedWithoutAnAnswer) {
  continued();
  const CampaignState state = continued();
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_FALSE(state.incumbent);
  EXPECT_THAT(laboratory_->kinds(), Contains("decision_closed"));
}

}  // namespace
}  // namespace assay::control
