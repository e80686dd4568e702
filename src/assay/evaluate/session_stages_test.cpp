#include <assay/evaluate/session_stages.hpp>

#include <gtest/gtest.h>

namespace assay::evaluate {
namespace {

task::EvaluationRequest bare_request() {
  task::EvaluationRequest request;
  request.plan.minimum_pairs = 3;
  request.plan.stress_trials = 0;
  return request;
}

TEST(SessionStages, SingleInputsAreDifficultOnesOrKeptOnes) {
  task::EvaluationRequest request = bare_request();
  EXPECT_FALSE(has_single_inputs(request));
  request.plan.stress_trials = 1;
  EXPECT_TRUE(has_single_inputs(request));
  request.plan.stress_trials = 0;
  request.replays.emplace_back();
  EXPECT_TRUE(has_single_inputs(request));
}

TEST(SessionStages, TrialsAreMadeInTheirTurnOnly) {
  task::EvaluationRequest request = bare_request();
  request.trials_turn = task::TrialsTurn::after_gain;
  EXPECT_FALSE(has_trials(request, task::TrialsTurn::after_gain)) << "none are asked for";
  request.trials = 5;
  EXPECT_TRUE(has_trials(request, task::TrialsTurn::after_gain));
  EXPECT_FALSE(has_trials(request, task::TrialsTurn::before_timing));
}

TEST(SessionStages, APairTakesAWorkerForEachProcess) {
  task::EvaluationRequest request = bare_request();
  EXPECT_EQ(workers_of_a_pair(request), 1);
  request.incumbent.emplace();
  EXPECT_EQ(workers_of_a_pair(request), 2);
  request.plan.self_comparison = true;
  EXPECT_EQ(workers_of_a_pair(request), 4);
  request.incumbent.reset();
  EXPECT_EQ(workers_of_a_pair(request), 1) << "there is no incumbent to hold against itself";
}

TEST(SessionStages, EachStageBeforeTheEndTakesOneWorkerMore) {
  const operators::Operator& chained = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  ASSERT_TRUE(chained.chain());
  task::EvaluationRequest request = bare_request();
  request.incumbent.emplace();
  EXPECT_EQ(workers_surely_needed(request, chained), 6);
  request.replays.emplace_back();
  EXPECT_EQ(workers_surely_needed(request, chained), 7);
  request.official_trials = 3;
  EXPECT_EQ(workers_surely_needed(request, chained), 8);
  request.trials = 5;
  EXPECT_EQ(workers_surely_needed(request, chained), 9);
  request.trials_turn = task::TrialsTurn::after_gain;
  EXPECT_EQ(workers_surely_needed(request, chained), 8) << "only a candidate that is better gets these";
  request.plan.stress_trials = 8;
  EXPECT_EQ(workers_surely_needed(request, chained), 9) << "the chain's; difficult inputs go with the kept ones";
}

TEST(SessionStages, AnOperatorWithoutAChainNeedsNoWorkerForOne) {
  task::EvaluationRequest request = bare_request();
  request.plan.stress_trials = 8;
  int without_chain = 0;
  for (const std::string_view name : operators::operator_names()) {
    const operators::Operator& op = *operators::find_operator(name);
    EXPECT_EQ(workers_surely_needed(request, op), 3 + 1 + (op.chain() ? 1 : 0)) << name;
    without_chain += op.chain() ? 0 : 1;
  }
  EXPECT_GT(without_chain, 0);
}

}  // namespace
}  // namespace assay::evaluate
