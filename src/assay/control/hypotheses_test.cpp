// Hypotheses in a campaign's journal: stated before they are measured, judged by the samples, and remembered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/control/memory.hpp>
#include <assay/control/proposals.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using task::HypothesisStatus;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::Laboratory;
using testing::must;
using ::testing::Not;
using ::testing::SizeIs;

agent::Proposal scripted(const std::string& name, double time, const task::Hypothesis& hypothesis) {
  agent::Proposal one;
  one.solution = testing::sample_solution(name, "y = " + name + ";\n// speed: " + std::to_string(time) + "\n");
  one.hypothesis.change = hypothesis.change;
  one.stated = hypothesis;
  return one;
}

task::Hypothesis acting_through(const std::string& mechanism, const std::string& differs = "") {
  task::Hypothesis hypothesis;
  hypothesis.mechanism = mechanism;
  hypothesis.change = "change of " + mechanism;
  hypothesis.differs = differs;
  return hypothesis;
}

// One prepared round after the other, as a pure function of the history: a resumed campaign asks again.
class HypothesisScript final : public agent::Proposer {
 public:
  explicit HypothesisScript(std::vector<std::vector<agent::Proposal>> rounds) : rounds_(std::move(rounds)) {}
  [[nodiscard]] std::string name() const override { return "codex"; }
  base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history, int /*count*/) override {
    std::size_t left = history.size();
    for (const auto& round : rounds_) {
      if (left == 0) {
        return round;
      }
      left -= std::min(left, round.size());
    }
    return std::vector<agent::Proposal>();
  }

 private:
  std::vector<std::vector<agent::Proposal>> rounds_;
};

CampaignConfiguration rounds_alone(int rounds) {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied.clear();
  configuration.rounds = rounds;
  return configuration;
}

CampaignState run_script(Laboratory& laboratory, const std::vector<std::vector<agent::Proposal>>& rounds) {
  HypothesisScript script(rounds);
  return must(run_campaign(laboratory.archive(), "scale-search", laboratory.evaluator(), script, {}));
}

std::size_t first_position(const std::vector<std::string>& lines, const std::string& beginning) {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(beginning); });
  return static_cast<std::size_t>(found - lines.begin());
}

TEST(Hypotheses, AreStatedBeforeTheGateAndJudgedWithIt) {
  Laboratory laboratory(rounds_alone(2));
  const CampaignState state = run_script(laboratory, {{scripted("slow", 1.3, acting_through("fewer barriers"))},
                                                      {scripted("fast", 0.7, acting_through("wider loads"))}});
  ASSERT_THAT(state.memory.hypotheses, SizeIs(2));
  EXPECT_EQ(state.memory.hypothesis(1).status(), HypothesisStatus::falsified);
  EXPECT_EQ(state.memory.hypothesis(1).candidate, 1);
  EXPECT_EQ(state.memory.hypothesis(2).status(), HypothesisStatus::supported);
  EXPECT_THAT(state.memory.hypothesis(2).tests, SizeIs(2)) << "by its gate and by its sweep";
  EXPECT_EQ(state.candidate(2).tests, 2);
  const auto kinds = laboratory.kinds();
  EXPECT_LT(first_position(kinds, "hypothesis_stated"), first_position(kinds, "candidates_proposed"));
  EXPECT_LT(first_position(kinds, "candidates_proposed"), first_position(kinds, "candidate_gated"));
  EXPECT_EQ(first_position(kinds, "hypothesis_tested"), first_position(kinds, "candidate_gated") + 1);
  const task::HypothesisTest& test = state.memory.hypothesis(1).tests.at(0);
  EXPECT_EQ(test.environment, task::environment_digest({{"cpu", "a test's"}}));
  EXPECT_EQ(test.evaluation, state.candidate(1).gate_evaluation);
  ASSERT_TRUE(test.effect);
  EXPECT_EQ(test.effect->mean, state.candidate(1).gate_log_ratio->mean);
}

TEST(Hypotheses, ARepeatedRouteIsRefusedBeforeItCostsAnything) {
  Laboratory laboratory(rounds_alone(3));
  const CampaignState state =
      run_script(laboratory, {{scripted("slow", 1.3, acting_through("fewer barriers"))},
                              {scripted("again", 1.2, acting_through("Fewer barriers"))},
                              {scripted("other", 1.2, acting_through("fewer barriers", "in the epilogue alone"))}});
  EXPECT_EQ(state.candidate(2).outcome, task::Outcome::duplicate);
  EXPECT_EQ(state.candidate(2).duplicate_of, 1);
  EXPECT_THAT(state.candidate(2).cause, HasSubstr("closed route: candidate 1 measured 0.7"));
  EXPECT_THAT(state.candidate(2).cause, HasSubstr("differs"));
  EXPECT_TRUE(state.candidate(2).gate_evaluation.empty());
  EXPECT_EQ(state.memory.hypothesis(2).status(), HypothesisStatus::open);
  EXPECT_EQ(state.memory.hypothesis(2).refused, state.candidate(2).cause);
  EXPECT_EQ(state.candidate(3).outcome, task::Outcome::not_better) << "it says what differs";
  for (const auto& built : laboratory.evaluator().prepared) {
    EXPECT_EQ(std::count(built.begin(), built.end(), "again"), 0);
  }
}

TEST(Hypotheses, ANewIncumbentOpensTheRouteAgain) {
  Laboratory laboratory(rounds_alone(3));
  const CampaignState state = run_script(laboratory, {{scripted("slow", 1.3, acting_through("fewer barriers"))},
                                                      {scripted("fast", 0.7, acting_through("wider loads"))},
                                                      {scripted("again", 1.2, acting_through("fewer barriers"))}});
  EXPECT_EQ(state.incumbent, 2);
  EXPECT_EQ(state.candidate(3).outcome, task::Outcome::not_better);
  EXPECT_EQ(state.memory.hypothesis(3).tests.at(0).against, 2);
}

TEST(Hypotheses, ASourceThatWasTriedIsRefusedWithWhatItMeasured) {
  Laboratory laboratory(rounds_alone(2));
  const auto same = scripted("slow", 1.3, acting_through("fewer barriers"));
  auto renamed = same;
  renamed.stated->mechanism = "a miracle";
  const CampaignState state = run_script(laboratory, {{same}, {renamed}});
  EXPECT_EQ(state.candidate(2).outcome, task::Outcome::duplicate);
  EXPECT_THAT(state.candidate(2).cause, HasSubstr("the same bytes as candidate 1; nothing was run (it measured 0.7"));
}

TEST(Hypotheses, AreJudgedInTheirOwnRegime) {
  Laboratory laboratory(rounds_alone(1));
  task::Hypothesis hypothesis = acting_through("wider loads");
  hypothesis.regime = "a regime that there is not";
  const CampaignState state = run_script(laboratory, {{scripted("fast", 0.7, hypothesis)}});
  EXPECT_EQ(state.memory.hypothesis(1).stated.regime, "all");
  Laboratory another(rounds_alone(1));
  hypothesis.regime = state.regimes.at(1).name;
  const CampaignState of_regime = run_script(another, {{scripted("fast", 0.7, hypothesis)}});
  EXPECT_EQ(of_regime.memory.hypothesis(1).stated.regime, state.regimes.at(1).name);
  const auto effect = of_regime.memory.hypothesis(1).tests.at(0).effect;
  ASSERT_TRUE(effect);
  EXPECT_NE(effect->mean, state.memory.hypothesis(1).tests.at(0).effect->mean) << "one workload's, not all's";
  EXPECT_EQ(of_regime.memory.hypothesis(1).status(), HypothesisStatus::supported);
}

TEST(Hypotheses, ACandidateThatFailsSaysNothingOfItsMechanism) {
  Laboratory laboratory(rounds_alone(2));
  auto broken = scripted("broken", 1, acting_through("fewer barriers"));
  broken.solution.sources[0].content += "// outcome: incorrect\n";
  const CampaignState state =
      run_script(laboratory, {{broken}, {scripted("mended", 1.2, acting_through("fewer barriers"))}});
  EXPECT_EQ(state.memory.hypothesis(1).status(), HypothesisStatus::undecided);
  EXPECT_EQ(state.memory.hypothesis(1).tests.at(0).outcome, task::Outcome::incorrect);
  EXPECT_EQ(state.candidate(2).outcome, task::Outcome::not_better) << "the route was open";
}

// A planner states it, and another proposes what tests it.
TEST(Hypotheses, MayBeTestedLaterByAnother) {
  Laboratory laboratory(rounds_alone(3));
  auto planned = scripted("slow", 1.3, {});
  planned.stated.reset();
  planned.tests = 1;
  auto again = scripted("slower", 1.4, {});
  again.stated.reset();
  again.tests = 1;
  auto unknown = scripted("slowest", 1.5, {});
  unknown.stated.reset();
  unknown.tests = 7;
  auto first = scripted("fast", 0.9, {});
  first.stated.reset();
  HypothesisScript all({{first}, {planned, again}, {unknown}});
  must(laboratory.archive().append({"scale-search", 0, {encode_entry(CampaignStarted{})}}));
  const auto hypothesis = encode_entry(HypothesisStated{1, "planner", acting_through("fewer barriers")});
  must(laboratory.archive().append({"scale-search", 1, {hypothesis}}));
  const CampaignState state = must(run_campaign(laboratory.archive(), "scale-search", laboratory.evaluator(), all, {}));
  EXPECT_FALSE(state.candidate(1).tests);
  EXPECT_EQ(state.candidate(2).tests, 1);
  EXPECT_FALSE(state.candidate(3).tests) << "the first of two has it";
  EXPECT_FALSE(state.candidate(4).tests) << "nobody stated a seventh";
  EXPECT_EQ(state.memory.hypothesis(1).by, "planner");
  EXPECT_EQ(state.memory.hypothesis(1).status(), HypothesisStatus::falsified);
}

TEST(Hypotheses, AProposalWithoutOneLeavesTheJournalAsItWas) {
  Laboratory laboratory(rounds_alone(1));
  auto bare = scripted("fast", 0.7, {});
  bare.stated.reset();
  const CampaignState state = run_script(laboratory, {{bare}});
  EXPECT_THAT(state.memory.hypotheses, SizeIs(0));
  EXPECT_THAT(laboratory.journal(), Each(Not(HasSubstr("tests"))));
}

TEST(Hypotheses, AKillBetweenResultAndJournalLosesNoLesson) {
  const std::vector<std::vector<agent::Proposal>> rounds = {{scripted("slow", 1.3, acting_through("fewer barriers"))}};
  Laboratory calm(rounds_alone(1));
  run_script(calm, rounds);
  Laboratory laboratory(rounds_alone(1));
  laboratory.evaluator().faults = {{1, testing::Fault::killed_after}};
  EXPECT_THROW(run_script(laboratory, rounds), testing::Killed);
  laboratory.reopen();
  EXPECT_EQ(run_script(laboratory, rounds).memory.hypothesis(1).status(), HypothesisStatus::falsified);
  EXPECT_EQ(laboratory.journal(), calm.journal());
}

}  // namespace
}  // namespace assay::control
