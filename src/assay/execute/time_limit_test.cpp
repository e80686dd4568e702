#include <assay/execute/time_limit.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace assay::execute {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

task::EvaluationRequest request(std::size_t workloads) {
  task::EvaluationRequest made;
  made.workloads.resize(workloads);
  made.plan.minimum_pairs = 2;
  made.plan.maximum_pairs = 3;
  made.plan.samples_per_pair = 4;
  made.plan.call_limit = milliseconds(100);
  made.plan.load_limit = milliseconds(1000);
  made.plan.build_limit = milliseconds(10000);
  made.plan.stress_trials = 0;
  return made;
}

TEST(JudgementLimit, FollowsItsFormula) {
  // One solution: builds 2 x 10 s; 3 pairs x (1 s + 2 x 7 workloads x 5 calls x 0.1 s); doubled, and a minute.
  EXPECT_EQ(judgement_limit(request(7)), seconds(2 * (20 + 3 * (1 + 7)) + 60));
}

TEST(JudgementLimit, AnIncumbentDoublesTheWork) {
  task::EvaluationRequest both = request(7);
  both.incumbent.emplace();
  EXPECT_EQ(judgement_limit(both), seconds(2 * 2 * (20 + 3 * (1 + 7)) + 60));
}

TEST(JudgementLimit, TrialsAreCallsInProcessesOfTheirOwn) {
  task::EvaluationRequest trials = request(7);
  trials.plan.stress_trials = 16;
  trials.official_trials = 2;
  // Twice (1 s + (16 + a chain of 64 + 7 x 2) calls x 0.1 s) more; doubled.
  EXPECT_EQ(judgement_limit(trials), judgement_limit(request(7)) + milliseconds(2 * 2 * (1000 + 9400)));
}

TEST(JudgementLimit, EachReplayedInputIsACall) {
  task::EvaluationRequest replays = request(7);
  replays.plan.stress_trials = 16;
  const auto before = judgement_limit(replays);
  replays.replays.resize(5);
  EXPECT_EQ(judgement_limit(replays), before + milliseconds(2 * 2 * 500));
  replays.plan.stress_trials = 0;
  EXPECT_EQ(judgement_limit(replays), judgement_limit(request(7)) + milliseconds(2 * 2 * (1000 + 500)));
}

TEST(JudgementLimit, SanitizersHaveLimitsOfTheirOwn) {
  task::EvaluationRequest watched = request(7);
  watched.plan.sanitizers = {task::Sanitizer::memcheck, task::Sanitizer::racecheck};
  // Each: a start, a load and three calls of at least 30 s each, an end; doubled.
  EXPECT_EQ(judgement_limit(watched), judgement_limit(request(7)) + seconds(2 * 2 * (90 + 4 * 30 + 60)));
  watched.stage = task::Stage::build;
  EXPECT_EQ(judgement_limit(watched), seconds(2 * 20 + 60));
}

TEST(JudgementLimit, ABuildRunsNothing) {
  task::EvaluationRequest build = request(54);
  build.stage = task::Stage::build;
  EXPECT_EQ(judgement_limit(build), seconds(2 * 20 + 60));
}

TEST(JudgementLimit, MaterialisingHasALimitOfItsOwn) {
  task::EvaluationRequest materialise = request(1);
  materialise.stage = task::Stage::materialise;
  EXPECT_EQ(judgement_limit(materialise), kLongestMaterialisation);
}

TEST(JudgementLimit, ExceedsEveryLimitThatTheJudgeMayUseUp) {
  const task::EvaluationRequest one = request(54);
  const auto calls = one.plan.maximum_pairs * 54 * (one.plan.samples_per_pair + 1);
  EXPECT_GT(judgement_limit(one), one.plan.build_limit + one.plan.load_limit + calls * one.plan.call_limit);
}

TEST(JudgementLimit, IsCappedAndNeverOverflows) {
  task::EvaluationRequest huge = request(1000);
  huge.plan.maximum_pairs = std::numeric_limits<int>::max();
  huge.plan.samples_per_pair = std::numeric_limits<int>::max();
  huge.plan.call_limit = milliseconds::max();
  huge.plan.load_limit = milliseconds::max();
  huge.plan.build_limit = milliseconds::max();
  EXPECT_EQ(judgement_limit(huge), kLongestJudgement);
}

TEST(JudgementLimit, NegativePlansStillLeaveAMinute) {
  task::EvaluationRequest odd = request(3);
  odd.plan.maximum_pairs = -1;
  odd.plan.minimum_pairs = -1;
  odd.plan.build_limit = milliseconds(-5);
  EXPECT_EQ(judgement_limit(odd), seconds(60));
}

}  // namespace
}  // namespace assay::execute
