#include <assay/control/next_action.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

// A state in the search with as many ungated candidates of one round as wanted.
CampaignState searching(int candidates, int round = 0) {
  CampaignState state;
  state.last_sequence = 10;
  state.phase = Phase::searching;
  state.supplied_proposed = true;
  state.rounds_started = round;
  for (int number = 1; number <= candidates; ++number) {
    CandidateState& one = state.candidates.emplace_back();
    one.number = number;
    one.round = round;
  }
  return state;
}

void gate(CampaignState& state, int number, task::Outcome outcome, double log_ratio) {
  CandidateState& one = state.candidates[static_cast<std::size_t>(number - 1)];
  one.outcome = outcome;
  one.gate_evaluation = "g";
  one.log_ratio_to_baseline = log_ratio;
  one.gate_log_ratio = LogRatio{log_ratio, log_ratio - 0.2, log_ratio + 0.02};
}

// The candidate that leaves the race without a sweep.
const CandidateOutrun& outrun(const Action& action) { return std::get<CandidateOutrun>(std::get<Note>(action).entry); }

Action next(const CampaignState& state) { return next_action(state, testing::sample_configuration()); }

void expect_evaluation(const Action& action, Purpose purpose, int candidate, const std::string& id,
                       bool intended = false) {
  ASSERT_TRUE(std::holds_alternative<Evaluate>(action)) << action.index();
  const auto& evaluate = std::get<Evaluate>(action);
  EXPECT_EQ(evaluate.target.purpose, purpose);
  EXPECT_EQ(evaluate.target.candidate, candidate);
  EXPECT_EQ(evaluate.target.evaluation, id);
  EXPECT_EQ(evaluate.intended, intended);
}

TEST(NextAction, StartsWithTheBaseline) {
  CampaignState state;
  EXPECT_TRUE(std::holds_alternative<Start>(next(state)));
  state.last_sequence = 1;
  expect_evaluation(next(state), Purpose::baseline, 0, "scale-search-0-measure-1");
  state.failed_attempts = 2;
  expect_evaluation(next(state), Purpose::baseline, 0, "scale-search-0-measure-3");
}

TEST(NextAction, FinishesAnIntentFirst) {
  CampaignState state = searching(3);
  state.pending = {Purpose::gate, 2, 4, "whatever-it-was-called"};
  expect_evaluation(next(state), Purpose::gate, 2, "whatever-it-was-called", true);
}

TEST(NextAction, ProposesTheSuppliedCandidatesOnceIfThereAreAny) {
  CampaignState state = searching(0);
  state.supplied_proposed = false;
  EXPECT_EQ(std::get<Propose>(next(state)).round, 0);
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied.clear();
  EXPECT_EQ(std::get<Propose>(next_action(state, configuration)).round, 1);
}

TEST(NextAction, GatesInOrderThenSweepsTheFastestWinner) {
  CampaignState state = searching(4, 1);
  expect_evaluation(next(state), Purpose::gate, 1, "scale-search-1-gate-1");
  gate(state, 1, task::Outcome::better, -0.1);
  expect_evaluation(next(state), Purpose::gate, 2, "scale-search-2-gate-1");
  gate(state, 2, task::Outcome::better, -0.3);
  gate(state, 3, task::Outcome::better, -0.2);
  gate(state, 4, task::Outcome::not_better, -0.9);
  expect_evaluation(next(state), Purpose::sweep, 2, "scale-search-2-sweep-1");
  state.candidates[1].sweep_evaluation = "s";
  EXPECT_EQ(outrun(next(state)).candidate, 3);  // one sweep a round

  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.policy.sweeps_per_round = 2;
  expect_evaluation(next_action(state, configuration), Purpose::sweep, 3, "scale-search-3-sweep-1");
  for (const int number : {3, 1}) {
    EXPECT_EQ(outrun(next(state)).candidate, number);
    state.candidates[static_cast<std::size_t>(number - 1)].outrun.emplace();
  }
  EXPECT_EQ(std::get<Propose>(next(state)).round, 2);
}

TEST(NextAction, SweepsTheEarlierOfTwoEquals) {
  CampaignState state = searching(2, 1);
  gate(state, 1, task::Outcome::better, -0.2);
  gate(state, 2, task::Outcome::better, -0.2);
  expect_evaluation(next(state), Purpose::sweep, 1, "scale-search-1-sweep-1");
}

TEST(NextAction, ForgetsTheUnsweptWinnersOfAnEarlierRound) {
  CampaignState state = searching(2, 1);
  gate(state, 1, task::Outcome::better, -0.3);
  gate(state, 2, task::Outcome::not_better, 0.3);
  state.rounds_started = 2;
  state.candidates[1].round = 2;
  EXPECT_TRUE(std::holds_alternative<Finish>(next(state)));
}

TEST(NextAction, LetsThePolicyAnswerAWinner) {
  CampaignState state = searching(2, 1);
  gate(state, 1, task::Outcome::better, -0.3);
  state.awaiting = 1;
  EXPECT_EQ(std::get<PromoteByPolicy>(next(state)).candidate, 1);
  state.phase = Phase::awaiting_approval;
  EXPECT_TRUE(std::holds_alternative<Stop>(next(state)));
}

TEST(NextAction, ConfirmsAnIncumbentThatIsNotTheBaseline) {
  CampaignState state = searching(1, 2);
  gate(state, 1, task::Outcome::better, -0.3);
  state.candidates[0].sweep_evaluation = "s";
  EXPECT_TRUE(std::holds_alternative<Finish>(next(state)));
  state.incumbent = 1;
  expect_evaluation(next(state), Purpose::confirmation, 1, "scale-search-1-confirm-1");
  state.phase = Phase::confirming;
  state.failed_attempts = 1;
  expect_evaluation(next(state), Purpose::confirmation, 1, "scale-search-1-confirm-2");
  state.confirmation.emplace().verdict = promote::Decision::Verdict::promote;
  state.confirmations.push_back({1, "c", task::Outcome::better, "", *state.confirmation});
  EXPECT_TRUE(std::holds_alternative<Finish>(next(state)));
}

TEST(NextAction, DemotesWhomItsConfirmationDoesNotHoldAndConfirmsTheOneBefore) {
  CampaignState state = searching(2, 2);
  gate(state, 1, task::Outcome::better, -0.3);
  gate(state, 2, task::Outcome::better, -0.3);
  state.phase = Phase::confirming;
  state.incumbent = 2;
  state.confirmation.emplace().verdict = promote::Decision::Verdict::keep_incumbent;
  state.confirmations.push_back({2, "c", task::Outcome::indistinguishable, "", *state.confirmation});
  EXPECT_EQ(std::get<Demote>(next(state)).candidate, 2);
  state.confirmation.reset();
  state.incumbent = 1;
  expect_evaluation(next(state), Purpose::confirmation, 1, "scale-search-1-confirm-1");
  state.incumbent.reset();
  EXPECT_TRUE(std::holds_alternative<Finish>(next(state))) << "the baseline needs no confirmation";
}

TEST(NextAction, BringsAnInjectionToItsEndBeforeAnythingElse) {
  CampaignState state = searching(1, 1);
  gate(state, 1, task::Outcome::not_better, 0.3);
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.policy.injections = {.null_rate = 1, .null_sweep_share = 1, .slower_rate = 0};
  const auto due = [&] { return next_action(state, configuration); };
  const InjectionMade made = std::get<Inject>(due()).made;
  EXPECT_EQ(made.number, 1);
  EXPECT_EQ(made.round, 1);
  EXPECT_TRUE(made.sweeps);
  InjectionState& injection = state.injections.emplace_back();
  injection.made = made;
  expect_evaluation(due(), Purpose::null_gate, 1, "scale-search-1-nullgate-1");
  injection.outcome = task::Outcome::indistinguishable;
  injection.gate_evaluation = "g";
  expect_evaluation(due(), Purpose::null_sweep, 1, "scale-search-1-nullsweep-1");
  injection.sweep_evaluation = "s";
  injection.decision.emplace().reasons = {"faster"};
  EXPECT_EQ(std::get<Propose>(due()).round, 2);
  injection.decision->verdict = promote::Decision::Verdict::promote;
  EXPECT_EQ(std::get<NullPromoted>(std::get<Note>(due()).entry).injection, 1);
  injection.alarm = "told";
  EXPECT_EQ(std::get<Propose>(due()).round, 2);
}

TEST(NextAction, StopsAskingAnExhaustedProposer) {
  CampaignState state = searching(0, 1);
  EXPECT_EQ(std::get<Propose>(next(state)).round, 2);
  state.exhausted = true;
  EXPECT_TRUE(std::holds_alternative<Finish>(next(state)));
}

TEST(NextAction, IsNothingAtTheEnd) {
  CampaignState state = searching(0);
  state.phase = Phase::finished;
  EXPECT_TRUE(std::holds_alternative<Stop>(next(state)));
  state.phase = Phase::failed;
  EXPECT_TRUE(std::holds_alternative<Stop>(next(state)));
}

TEST(EvaluationId, IsDifferentForASweepAndAConfirmation) {
  EXPECT_EQ(evaluation_id("c", Purpose::sweep, 12, 3), "c-12-sweep-3");
  EXPECT_EQ(evaluation_id("c", Purpose::confirmation, 12, 3), "c-12-confirm-3");
}

TEST(EvaluationId, FitsARequestForTheLongestName) {
  EXPECT_LE(evaluation_id(std::string(40, 'a'), Purpose::confirmation, 1'000'000'000, 1'000'000'000).size(), 80U);
}

}  // namespace
}  // namespace assay::control
