#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <assay/control/campaign.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Laboratory;
using testing::must;
using testing::sample_configuration;
using testing::sample_solution;
using ::testing::SizeIs;

// Rounds of one candidate each, so that each is promoted over the one before.
class Rounds final : public agent::Proposer {
 public:
  explicit Rounds(std::vector<task::Solution> solutions) : solutions_(std::move(solutions)) {}
  std::string name() const override { return "rounds"; }
  base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history, int /*count*/) override {
    if (history.size() >= solutions_.size()) {
      return std::vector<agent::Proposal>();
    }
    return std::vector<agent::Proposal>{{solutions_[history.size()], {}, std::nullopt}};
  }

 private:
  std::vector<task::Solution> solutions_;
};

struct Ended {
  CampaignState state;
  std::vector<std::string> kinds;
  std::vector<std::string> lines;
};

Ended run(const std::vector<std::string>& sources) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied.clear();
  configuration.rounds = static_cast<int>(sources.size());
  std::vector<task::Solution> solutions;
  for (const std::string& source : sources) {
    solutions.push_back(sample_solution("s" + std::to_string(solutions.size() + 1), source));
  }
  Laboratory laboratory(configuration);
  Rounds rounds(std::move(solutions));
  std::vector<std::string> lines;
  CampaignState state =
      must(run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), rounds,
                        {[&](const CampaignState&, const std::string& line) { lines.push_back(line); }}));
  return {std::move(state), laboratory.kinds(), std::move(lines)};
}

TEST(Confirmation, ThatHoldsDemotesNobody) {
  const Ended ended = run({"a;\n// speed: 0.8\n", "b;\n// speed: 0.6\n"});
  EXPECT_EQ(ended.state.incumbent, 2);
  EXPECT_THAT(ended.state.confirmations, SizeIs(1));
  EXPECT_THAT(ended.state.reign, ElementsAre(1, 2));
  EXPECT_FALSE(ended.state.candidate(2).demotion);
  EXPECT_NEAR(ended.state.confirmation->speedup, 1 / 0.6, 0.01);
}

struct Failure {
  const char* name;
  const char* note;  // What the fake judge reads.
};

class FailedConfirmation : public ::testing::TestWithParam<Failure> {};

TEST_P(FailedConfirmation, LetsTheIncumbentBeforeBeConfirmedInTurn) {
  const Ended ended = run({"a;\n// speed: 0.8\n", std::string("b;\n// speed: 0.6\n") + GetParam().note});
  EXPECT_EQ(ended.state.phase, Phase::finished);
  EXPECT_EQ(ended.state.incumbent, 1);
  ASSERT_THAT(ended.state.confirmations, SizeIs(2));
  EXPECT_FALSE(ended.state.confirmations[0].holds());
  EXPECT_TRUE(ended.state.confirmations[1].holds());
  EXPECT_NEAR(ended.state.confirmation->speedup, 1 / 0.8, 0.01) << "the headline is the second's";
  EXPECT_THAT(ended.state.confirmation_evaluation, HasSubstr("-1-confirm-1"));
  const CandidateState& demoted = ended.state.candidate(2);
  ASSERT_TRUE(demoted.demotion);
  EXPECT_THAT(*demoted.demotion, AllOf(HasSubstr("not confirmed"), HasSubstr(ended.state.confirmations[0].cause)));
  EXPECT_TRUE(demoted.promoted);
  EXPECT_EQ(demoted.decision->verdict, promote::Decision::Verdict::promote) << "its screening stays what it was";
  EXPECT_THAT(ended.lines, Contains(AllOf(HasSubstr("candidate 2 (s2) is demoted"),
                                          HasSubstr("candidate 1 (s1) is the incumbent again"))));
}

INSTANTIATE_TEST_SUITE_P(All, FailedConfirmation,
                         ::testing::Values(Failure{"Incorrect", "// confirm: incorrect\n"},
                                           Failure{"Crashed", "// confirm: crashed\n"},
                                           Failure{"Slower", "// confirm speed: 1.3\n"},
                                           Failure{"TieAtTheEdge", "// confirm speed: 0.98\n"}),
                         [](const ::testing::TestParamInfo<Failure>& failure) { return failure.param.name; });

TEST(Confirmation, FallsBackUntilTheBaselineRemains) {
  const Ended ended = run({"a;\n// speed: 0.8\n// confirm: crashed\n", "b;\n// speed: 0.6\n// confirm: incorrect\n",
                           "c;\n// speed: 0.4\n// confirm: timed_out\n"});
  EXPECT_EQ(ended.state.phase, Phase::finished);
  EXPECT_FALSE(ended.state.incumbent);
  EXPECT_FALSE(ended.state.confirmation) << "nothing may be reported";
  EXPECT_THAT(ended.state.reign, IsEmpty());
  std::vector<int> order;
  for (const ConfirmationState& one : ended.state.confirmations) {
    order.push_back(one.candidate);
  }
  EXPECT_THAT(order, ElementsAre(3, 2, 1));
  EXPECT_EQ(std::count(ended.kinds.begin(), ended.kinds.end(), "candidate_demoted"), 3);
  EXPECT_EQ(ended.kinds.back(), "campaign_finished");
  EXPECT_THAT(ended.lines.back(), HasSubstr("the incumbent is the baseline"));
}

// A candidate of which sessions say how the baseline stands to a copy of itself.
CampaignConfiguration with_self_comparison() {
  CampaignConfiguration configuration = sample_configuration();
  configuration.rounds = 0;
  configuration.supplied = {sample_solution("a", "a;\n// speed: 0.5\n")};
  configuration.policy.sweep.self_comparison = true;
  return configuration;
}

// Calls of the judge: baseline, gate, sweep, and then confirmations.
constexpr int kFirstConfirmation = 3;

TEST(Confirmation, OfAVoidSessionIsHeldAgainAndDemotesNobody) {
  Laboratory laboratory(with_self_comparison());
  laboratory.evaluator().faults = {{kFirstConfirmation, testing::Fault::unfair}};
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.incumbent, 1);
  ASSERT_THAT(state.confirmations, SizeIs(1)) << "what says nothing is none";
  EXPECT_TRUE(state.confirmations[0].holds());
  EXPECT_THAT(state.confirmation_evaluation, HasSubstr("-1-confirm-2"));
  EXPECT_FALSE(state.candidate(1).demotion);
  EXPECT_THAT(laboratory.journal(), Contains(AllOf(HasSubstr("evaluation_failed"), HasSubstr("confirmation.void"),
                                                   HasSubstr("from a copy of itself"))));
  const auto stored = must(laboratory.archive().evaluation("scale-search-1-confirm-1"));
  EXPECT_TRUE(stored) << "every attempt is kept";
  EXPECT_THAT(must(laboratory.archive().verify()).problems, IsEmpty());
  const auto& requests = laboratory.evaluator().requests;
  EXPECT_NE(requests[kFirstConfirmation].seed, requests[kFirstConfirmation + 1].seed) << "a new session";
}

TEST(Confirmation, ThatStaysVoidLeavesTheIncumbentUnconfirmedUntilItIsResumed) {
  Laboratory laboratory(with_self_comparison());
  for (int attempt = 0; attempt < kAttemptsPerRun; ++attempt) {
    laboratory.evaluator().faults[kFirstConfirmation + attempt] = testing::Fault::unfair;
  }
  const auto refused = laboratory.run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::environment) << "exit code 3";
  EXPECT_EQ(refused.error().code, "confirmation.void");
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("the confirmation of candidate 1 says nothing about it"),
                                            HasSubstr("3 attempts failed"), HasSubstr("resume")));
  laboratory.reopen();
  CampaignState state = laboratory.state();
  EXPECT_EQ(state.phase, Phase::confirming);
  EXPECT_EQ(state.incumbent, 1);
  EXPECT_FALSE(state.confirmation);
  EXPECT_THAT(state.confirmations, IsEmpty());
  EXPECT_FALSE(state.candidate(1).demotion);
  EXPECT_EQ(state.failed_attempts, 3);
  EXPECT_EQ(state.void_sessions, 3);
  EXPECT_THAT(state.last_failure, HasSubstr("from a copy of itself"));
  state = must(laboratory.run());
  EXPECT_THAT(state.confirmation_evaluation, HasSubstr("-1-confirm-4"));
  EXPECT_TRUE(state.confirmations.back().holds());
  EXPECT_EQ(state.failed_attempts, 0);
  EXPECT_EQ(state.last_failure, "");
}

TEST(Confirmation, ThatCouldNotBeBuiltWhereItsSweepCouldIsVoid) {
  CampaignConfiguration configuration = with_self_comparison();
  configuration.supplied = {sample_solution("a", "a;\n// speed: 0.5\n// confirm: not_built\n")};
  Laboratory laboratory(configuration);
  const auto refused = laboratory.run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "confirmation.void");
  EXPECT_FALSE(laboratory.state().candidate(1).demotion);
}

TEST(Confirmation, AlsoDemotesWhomAPersonApproved) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.rounds = 0;
  configuration.policy.approval = promote::Approval::person;
  configuration.supplied = {sample_solution("a", "a;\n// speed: 0.5\n// confirm: crashed\n")};
  Laboratory laboratory(configuration);
  must(laboratory.run());
  must(approve(laboratory.archive(), configuration.name, true, "Ada", "looks right"));
  const CampaignState state = must(laboratory.run());
  EXPECT_FALSE(state.incumbent);
  EXPECT_EQ(state.candidate(1).answered_by, "Ada");
  EXPECT_TRUE(state.candidate(1).demotion);
}

}  // namespace
}  // namespace assay::control
