// What evaluations cost, and that a campaign stops inside its budget of it. On a simulated device, whose clock is exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include <assay/control/evaluation_costs.hpp>
#include <assay/control/person.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Killed;
using testing::Laboratory;
using testing::must;
using ::testing::Not;

Amounts time_amounts(std::int64_t device_ms, std::int64_t wall_ms) {
  Amounts amounts;
  amounts[Resource::device_ms] = device_ms;
  amounts[Resource::wall_ms] = wall_ms;
  return amounts;
}

// Twenty candidates by hand, of which the first is the best; calls take up to `longest` elements' time.
CampaignConfiguration costly_campaign(std::int64_t longest = 2000) {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.workloads.back().axes = {{"n", longest}};
  configuration.supplied = {testing::sample_solution("fast", "y = fast(x);\n// speed: 0.7\n")};
  for (int i = 1; i < 20; ++i) {
    const std::string name = "slow" + std::to_string(i);
    configuration.supplied.push_back(testing::sample_solution(name, "y = " + name + ";\n// speed: 1.2\n"));
  }
  configuration.rounds = 0;
  return configuration;
}

int judged(const CampaignState& state) {
  return static_cast<int>(std::count_if(state.candidates.begin(), state.candidates.end(),
                                        [](const CandidateState& one) { return one.outcome.has_value(); }));
}

struct Limited {
  Resource resource;
  std::int64_t limit;
  std::int64_t longest;
};

class Limit : public ::testing::TestWithParam<Limited> {};

TEST_P(Limit, StopsACampaignInsideIt) {
  CampaignConfiguration configuration = costly_campaign(GetParam().longest);
  configuration.budget[GetParam().resource] = GetParam().limit;
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  const std::int64_t spent = state.ledger.spent()[GetParam().resource];
  EXPECT_LE(spent, GetParam().limit);
  EXPECT_GT(spent, GetParam().limit / 4) << "it is used";
  EXPECT_TRUE(state.search_ended_by_budget);
  EXPECT_GT(judged(state), 1);
  EXPECT_LT(judged(state), 20);
  EXPECT_THAT(state.budget_reached, HasSubstr("left"));
  EXPECT_TRUE(state.ledger.open().empty());
  // Running it again spends nothing, and writes nothing.
  const auto journal = laboratory.journal();
  laboratory.reopen();
  must(laboratory.run());
  EXPECT_EQ(laboratory.journal(), journal);
}

INSTANTIATE_TEST_SUITE_P(All, Limit,
                         ::testing::Values(Limited{Resource::device_ms, 60'000, 2'000},
                                           Limited{Resource::wall_ms, 5 * 60'000, 10'000}),
                         [](const ::testing::TestParamInfo<Limited>& one) {
                           return one.param.resource == Resource::device_ms ? "SixtySecondsOfTheDevice" : "FiveMinutes";
                         });

// The first is promoted in a race of one; then the tuner goes on.
CampaignConfiguration with_a_winner() {
  CampaignConfiguration configuration = costly_campaign();
  configuration.supplied.resize(1);
  configuration.rounds = 6;
  configuration.candidates_per_round = 1;
  return configuration;
}

std::int64_t spent_without_limit(const CampaignConfiguration& configuration) {
  Laboratory unlimited(configuration);
  return must(unlimited.run()).ledger.spent()[Resource::device_ms];
}

TEST(Spending, WhatTheConfirmationTakesIsKeptForIt) {
  CampaignConfiguration configuration = with_a_winner();
  const std::int64_t all = spent_without_limit(configuration);
  for (const std::int64_t limit : {all / 2, all * 2 / 3, all * 9 / 10}) {
    SCOPED_TRACE(limit);
    configuration.budget[Resource::device_ms] = limit;
    Laboratory laboratory(configuration);
    const CampaignState state = must(laboratory.run());
    EXPECT_LE(state.ledger.spent()[Resource::device_ms], limit);
    EXPECT_TRUE(state.search_ended_by_budget);
    EXPECT_FALSE(state.stopped_by_budget);
    EXPECT_EQ(state.phase, Phase::finished);
    ASSERT_TRUE(state.incumbent);
    EXPECT_TRUE(state.confirmation) << "the headline is measured";
  }
}

TEST(Spending, WhoTakesMuchLongerThanAllIsStoppedAtTheBudget) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.supplied = {testing::sample_solution("endless", "y = e(x);\n// speed: 10000\n")};
  configuration.budget[Resource::device_ms] = 60'000;
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.ledger.spent()[Resource::device_ms], 60'000) << "all that was set aside for it";
  EXPECT_THAT(laboratory.journal(), Contains(AllOf(HasSubstr("evaluation_failed"), HasSubstr("budget.spent"))));
  EXPECT_FALSE(state.candidate(1).outcome) << "that the budget ended is no evidence against it";
  EXPECT_EQ(state.phase, Phase::finished);
}

TEST(Spending, ABudgetThatDoesNotHoldTheBaselineStopsAtOnce) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.budget[Resource::wall_ms] = 0;
  Laboratory laboratory(configuration);
  CampaignState state = must(laboratory.run());
  EXPECT_TRUE(state.stopped_by_budget);
  EXPECT_EQ(state.phase, Phase::baseline);
  EXPECT_EQ(laboratory.evaluator().judged, 0);
  const auto journal = laboratory.journal();
  must(laboratory.run());
  EXPECT_EQ(laboratory.journal(), journal);
}

TEST(Spending, APersonsBudgetEndsTheSearchToo) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.policy.approval = promote::Approval::person;
  configuration.budget[Resource::human_seconds] = 60;
  Laboratory laboratory(configuration);
  ASSERT_EQ(must(laboratory.run()).phase, Phase::awaiting_approval);
  must(approve(laboratory.archive(), "scale-search", true, "Ada", "sound", 90));
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.ledger.spent()[Resource::human_seconds], 90) << "a person's word is never lost";
  EXPECT_EQ(state.phase, Phase::searching);
  EXPECT_TRUE(state.stopped_by_budget);
  EXPECT_THAT(state.budget_reached, HasSubstr("minutes of a person"));
}

TEST(Spending, WithoutALimitItIsCountedAndNothingIsSetAside) {
  Laboratory laboratory(costly_campaign());
  const CampaignState state = must(laboratory.run());
  EXPECT_GT(state.ledger.spent()[Resource::device_ms], 1000);
  EXPECT_EQ(state.ledger.spent()[Resource::device_ms], state.ledger.spent()[Resource::wall_ms])
      << "a simulated clock is both";
  EXPECT_THAT(laboratory.journal(), Not(Contains(HasSubstr("\"most\""))));
  ASSERT_EQ(state.promotion_costs.size(), 1U);
  EXPECT_EQ(state.promotion_costs[0].candidate, 1);
  const std::int64_t cost = state.promotion_costs[0].cost[Resource::device_ms];
  EXPECT_GT(cost, 0);
  EXPECT_EQ(state.spent_since_promotion()[Resource::device_ms], state.ledger.spent()[Resource::device_ms] - cost);
}

// Killed after any event: the same journal, so the same spending, to the millisecond.
TEST(Spending, AKillSpendsNothingTwice) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.supplied.resize(4);
  configuration.budget[Resource::device_ms] = 45'000;
  Laboratory undisturbed(configuration);
  must(undisturbed.run());
  const auto expected = undisturbed.journal();
  for (std::size_t index = 1; index <= expected.size(); ++index) {
    SCOPED_TRACE(index);
    Laboratory laboratory(configuration);
    std::size_t seen = 0;
    const Observer observer{[&](const CampaignState&, const std::string&) {
      if (++seen == index) {
        throw Killed();
      }
    }};
    EXPECT_THROW(static_cast<void>(laboratory.run(observer)), Killed);
    laboratory.reopen();
    must(laboratory.run());
    EXPECT_EQ(laboratory.journal(), expected);
  }
}

// On a real device nobody knows how long a judge ran that died with its controller.
TEST(Spending, AJudgeThatDiedWithItsControllerIsBookedAsItWasSetAside) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.device = "cpu";
  configuration.supplied.resize(1);
  configuration.budget[Resource::device_ms] = 60'000;
  Laboratory laboratory(configuration);
  laboratory.evaluator().faults = {{1, testing::Fault::killed_before}};
  EXPECT_THROW(static_cast<void>(laboratory.run()), Killed);
  const CampaignState killed = laboratory.state();
  ASSERT_TRUE(killed.pending);
  const std::int64_t reserved = killed.ledger.reserved()[Resource::device_ms];
  EXPECT_EQ(reserved, 60'000 - killed.ledger.spent()[Resource::device_ms]);
  laboratory.reopen();
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.ledger.spent()[Resource::device_ms], 60'000);
  EXPECT_THAT(laboratory.journal(), Contains(AllOf(HasSubstr("evaluation_failed"), HasSubstr("controller.ended"))));
  EXPECT_TRUE(state.search_ended_by_budget);
}

TEST(Spending, ABundleThatWasCompleteIsTakenAndBookedOnce) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.device = "cpu";
  configuration.supplied.resize(1);
  configuration.budget[Resource::device_ms] = 60'000;
  Laboratory laboratory(configuration);
  laboratory.evaluator().faults = {{1, testing::Fault::killed_after}};
  EXPECT_THROW(static_cast<void>(laboratory.run()), Killed);
  laboratory.reopen();
  const CampaignState state = must(laboratory.run());
  EXPECT_THAT(laboratory.journal(), Not(Contains(HasSubstr("controller.ended"))));
  EXPECT_LT(state.ledger.spent()[Resource::device_ms], 60'000);
  EXPECT_TRUE(state.candidate(1).outcome);
}

TEST(EvaluationCosts, ASimulatedClockIsTheSumOfItsCalls) {
  task::Evaluation evaluation;
  evaluation.wall_seconds = 77;
  std::vector<task::Sample> samples(3);
  samples[0].elapsed_ns = 1'000'000;
  samples[1].elapsed_ns = 2'000'000;
  samples[2].elapsed_ns = 1;
  EXPECT_EQ(cost_of("simulated:7", evaluation, samples, milliseconds(5)), time_amounts(4, 4));
  EXPECT_EQ(cost_of("simulated:7", evaluation, {}, std::nullopt), time_amounts(0, 0));
}

TEST(EvaluationCosts, ARealDeviceIsHeldAsLongAsTheJudgeRuns) {
  task::Evaluation evaluation;
  evaluation.wall_seconds = 1.2345;
  EXPECT_EQ(cost_of("cpu", evaluation, {}, std::nullopt), time_amounts(1235, 1235));
  EXPECT_EQ(cost_of("cpu", evaluation, {}, std::chrono::microseconds(1500'001)), time_amounts(1235, 1501));
  EXPECT_EQ(cost_of_failure(milliseconds(9)), time_amounts(9, 9));
  EXPECT_EQ(cost_of_failure(std::nullopt), Amounts());
}

TEST(EvaluationCosts, AJudgeIsStoppedAMomentBeforeTheEnd) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.device = "cpu";
  EXPECT_FALSE(allowed_time(configuration, time_amounts(5, 5))) << "nothing has a limit";
  configuration.budget[Resource::device_ms] = 60'000;
  EXPECT_FALSE(allowed_time(configuration, std::nullopt));
  EXPECT_EQ(allowed_time(configuration, time_amounts(10'000, 5)), milliseconds(9'000));
  EXPECT_EQ(allowed_time(configuration, time_amounts(1'000, 5)), milliseconds(500));
  configuration.budget[Resource::wall_ms] = 60'000;
  EXPECT_EQ(allowed_time(configuration, time_amounts(10'000, 4'000)), milliseconds(3'000));
  configuration.device = "simulated:1";
  EXPECT_FALSE(allowed_time(configuration, time_amounts(10'000, 4'000))) << "its clock is not this machine's";
}

TEST(EvaluationCosts, OnlyWhatHasALimitCanBePassed) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.budget[Resource::device_ms] = 10;
  EXPECT_TRUE(passes(configuration, time_amounts(5, 0), time_amounts(6, 0)));
  EXPECT_FALSE(passes(configuration, time_amounts(5, 0), time_amounts(5, 99)));
  EXPECT_FALSE(passes(configuration, std::nullopt, time_amounts(6, 0)));
}

TEST(EvaluationCosts, TheSearchLeavesWhatItsDearestTook) {
  CampaignConfiguration configuration = costly_campaign();
  configuration.budget[Resource::device_ms] = 100;
  CampaignState state;
  state.ledger = Ledger(configuration.budget);
  EXPECT_EQ((*affordability(state, configuration, Purpose::gate).most)[Resource::device_ms], 100)
      << "of an evaluation that nobody knows, all is set aside";
  state.dearest[Purpose::gate] = time_amounts(30, 30);
  state.dearest[Purpose::sweep] = time_amounts(50, 50);
  EXPECT_EQ((*affordability(state, configuration, Purpose::sweep).most)[Resource::device_ms], 50)
      << "a confirmation is expected to take what a sweep takes";
  state.incumbent = 1;
  state.ledger.book(time_amounts(21, 21));
  EXPECT_THAT(affordability(state, configuration, Purpose::gate).refusal, HasSubstr("the confirmation"));
  EXPECT_EQ(affordability(state, configuration, Purpose::confirmation).refusal, "");
  EXPECT_EQ((*affordability(state, configuration, Purpose::confirmation).most)[Resource::device_ms], 79);
}

TEST(EvaluationCosts, ABudgetIsPartOfTheConfigurationAndOldOnesStayAsTheyWere) {
  CampaignConfiguration configuration = costly_campaign();
  EXPECT_FALSE(encode(configuration).contains("budget"));
  configuration.budget[Resource::wall_ms] = 300'000;
  const auto read = must(decode_configuration(encode(configuration), "test"));
  EXPECT_EQ(read.budget, configuration.budget);
  EXPECT_EQ(budget_of(read)[Resource::wall_ms], 300'000);
  EXPECT_FALSE(budget_of(read)[Resource::tokens]);
}

Budget device_limit(std::int64_t milliseconds_of_device) {
  Budget budget;
  budget[Resource::device_ms] = milliseconds_of_device;
  return budget;
}

class RaisedBudget : public ::testing::Test {
 protected:
  RaisedBudget() {
    configuration_.budget[Resource::device_ms] = 60'000;
    laboratory_.emplace(configuration_);
  }
  void raise(const CampaignState& state, const Budget& limits) {
    const auto raised = must(raise_entry(configuration_, state, limits, "Ada"));
    ASSERT_TRUE(raised);
    must(laboratory_->archive().append({configuration_.name, state.last_sequence, {encode_entry(*raised)}}));
  }
  std::string refusal(const CampaignState& state, const Budget& limits, const std::string& by = "Ada") {
    const auto raised = raise_entry(configuration_, state, limits, by);
    return raised ? "" : raised.error().message;
  }

  CampaignConfiguration configuration_ = costly_campaign();
  std::optional<Laboratory> laboratory_;
};

TEST_F(RaisedBudget, LetsACampaignThatItEndedGoOn) {
  const CampaignState ended = must(laboratory_->run());
  ASSERT_EQ(ended.phase, Phase::finished);
  ASSERT_TRUE(ended.search_ended_by_budget);
  raise(ended, device_limit(90'000));
  const CampaignState state = must(laboratory_->run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_GT(judged(state), judged(ended)) << "it judges on where it was";
  EXPECT_LE(state.ledger.spent()[Resource::device_ms], 90'000);
  EXPECT_GT(state.ledger.spent()[Resource::device_ms], 60'000);
  EXPECT_THAT(laboratory_->journal(), Contains(AllOf(HasSubstr("budget_raised"), HasSubstr("Ada"))));
  // And once more: the journal is folded and run as any other.
  raise(state, device_limit(1'000'000));
  const CampaignState all = must(laboratory_->run());
  EXPECT_EQ(judged(all), 20);
  EXPECT_TRUE(all.budget_reached.empty());
}

TEST_F(RaisedBudget, WhatTheSearchThenEndsWithIsConfirmedInASessionOfItsOwn) {
  configuration_ = with_a_winner();
  const std::int64_t all = spent_without_limit(configuration_);
  configuration_.budget[Resource::device_ms] = all * 2 / 3;
  laboratory_.emplace(configuration_);
  const CampaignState ended = must(laboratory_->run());
  ASSERT_TRUE(ended.search_ended_by_budget && ended.confirmation);
  ASSERT_EQ(ended.confirmations.size(), 1U);
  raise(ended, device_limit(all * 3));
  const CampaignState state = must(laboratory_->run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_GT(state.rounds_started, ended.rounds_started);
  ASSERT_EQ(state.confirmations.size(), 2U);
  EXPECT_NE(state.confirmations[0].evaluation, state.confirmations[1].evaluation);
  EXPECT_EQ(state.confirmation_evaluation, state.confirmations[1].evaluation);
  const auto journal = laboratory_->journal();
  laboratory_->reopen();
  must(laboratory_->run());
  EXPECT_EQ(laboratory_->journal(), journal);
}

TEST_F(RaisedBudget, IsNeverLoweredAndNeverTakenAwayAndHasAName) {
  const CampaignState ended = must(laboratory_->run());
  EXPECT_THAT(refusal(ended, device_limit(59'999)), HasSubstr("only ever raised"));
  Budget other;
  other[Resource::tokens] = 1000;
  EXPECT_THAT(refusal(ended, other), HasSubstr("without a limit"));
  EXPECT_THAT(refusal(ended, device_limit(70'000), "  "), HasSubstr("--by NAME"));
  EXPECT_FALSE(must(raise_entry(configuration_, ended, device_limit(60'000), "Ada"))) << "as it is";
}

TEST_F(RaisedBudget, DoesNotWakeACampaignThatNoLimitEnded) {
  configuration_.budget[Resource::device_ms] = 10'000'000;
  laboratory_.emplace(configuration_);
  const CampaignState ended = must(laboratory_->run());
  ASSERT_EQ(ended.phase, Phase::finished);
  EXPECT_THAT(refusal(ended, device_limit(20'000'000)), HasSubstr("run another one"));
  CampaignState copy = ended;
  const auto [kind, body] = encode_entry(BudgetRaised{"Ada", device_limit(20'000'000)});
  EXPECT_FALSE(apply(configuration_, {copy.last_sequence + 1, kind, body, {}}, copy)) << "the fold says so too";
}

TEST_F(RaisedBudget, StartsWhatDidNotHoldTheBaseline) {
  configuration_.budget[Resource::device_ms] = 0;
  laboratory_.emplace(configuration_);
  const CampaignState stopped = must(laboratory_->run());
  ASSERT_TRUE(stopped.stopped_by_budget);
  raise(stopped, device_limit(60'000));
  EXPECT_EQ(must(laboratory_->run()).phase, Phase::finished);
}

}  // namespace
}  // namespace assay::control
