#include <assay/promote/decision.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <assay/promote/session_fixture.hpp>

namespace assay::promote {
namespace {

using testing::add_self;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::judge;
using testing::make_session;
using testing::Session;
using ::testing::SizeIs;
using Verdict = Decision::Verdict;

Policy lenient() {
  Policy policy;
  policy.maximum_mean_regression = 1;
  policy.maximum_p95_regression = 1;
  return policy;
}

Decision decide_or_fail(const Session& session, const Policy& policy) {
  const auto decision = decide(session.request, session.evaluation, session.samples, policy);
  EXPECT_TRUE(decision) << decision.error().text();
  return decision.value_or(Decision{});
}

TEST(Decide, PromotesWhatIsBetterEverywhere) {
  const Decision decision = decide_or_fail(make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}}), Policy{});
  EXPECT_EQ(decision.verdict, Verdict::promote);
  EXPECT_NEAR(decision.speedup, std::exp(0.30), 1e-4);
  EXPECT_LT(decision.speedup_lower, decision.speedup);
  EXPECT_GT(decision.speedup_upper, decision.speedup);
  EXPECT_GT(decision.speedup_lower, 1.02);
  EXPECT_EQ(decision.workloads, 2);
  EXPECT_EQ(decision.pairs, 3);
  ASSERT_THAT(decision.reasons, SizeIs(2));
  EXPECT_THAT(decision.reasons[0],
              AllOf(HasSubstr("faster by more than 2.00 %"), HasSubstr("2 workloads and 3 pairs")));
  EXPECT_THAT(decision.reasons[1], HasSubstr("no weights of theirs change the decision"));
}

TEST(Decide, NeverPromotesTheSameMachineCode) {
  Session session = make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}});
  session.evaluation.candidate_build.code.machine_code = std::string(64, 'a');
  session.evaluation.incumbent_build = session.evaluation.candidate_build;
  session.evaluation.outcome = task::Outcome::indistinguishable;
  const Decision decision = decide_or_fail(session, Policy{});
  EXPECT_EQ(decision.verdict, Decision::Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("the same machine code"));
}

TEST(Decide, ComputesMeansOfLatenciesAndOfRatios) {
  // Incumbent 1 and 2 ms; candidate 0.5 and 2 ms, in every pair.
  const Decision decision =
      decide_or_fail(make_session({{std::log(0.5), 0}, {std::log(0.5), 0}, {std::log(0.5), 0}}), Policy{});
  EXPECT_NEAR(decision.mean_latency_ratio, 2.5 / 3.0, 1e-9);
  EXPECT_NEAR(decision.contest_score, 1.5, 1e-9);
  EXPECT_NEAR(decision.speedup, std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(decision.p95_ratio, 0.5 + 0.95 * 0.5, 1e-9);
}

TEST(Decide, SaysHowFarTheWeightsOfWorkloadsMayShift) {
  // Log-ratios -0.6 and 0 against a threshold of ln 0.98: effects -0.5798 and 0.0202, of which the mean is -0.2798; of the
  // first one's weight 0.2798 / 0.6 must move.
  const Decision decision = decide_or_fail(make_session({{-0.6, 0}, {-0.6, 0}, {-0.6, 0}}), lenient());
  ASSERT_EQ(decision.verdict, Verdict::promote);
  EXPECT_THAT(decision.reasons.back(),
              AllOf(HasSubstr("46.6 % of the workloads' weight"), HasSubstr("factor of 5.36")));
}

TEST(Decide, KeepsTheIncumbentOnATie) {
  const Decision decision =
      decide_or_fail(make_session({{-0.10}, {0.08}, {-0.05}, {0.09}, {-0.11}, {0.02}}), lenient());
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("a tie keeps the incumbent"));
  EXPECT_EQ(decision.pairs, 6);
}

TEST(Decide, KeepsTheIncumbentWhereAGainIsExcluded) {
  const Decision decision = decide_or_fail(make_session({{0.001}, {0.002}, {0.000}}), lenient());
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("a gain of 2.00 % is excluded"));
}

TEST(Decide, NamesTheWorkloadThatRegressed) {
  const Decision decision = decide_or_fail(make_session({{-0.90, 0.30}, {-0.91, 0.31}, {-0.89, 0.29}}), lenient());
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), AllOf(HasSubstr("workload w1"), HasSubstr("slower"), HasSubstr("5.00 %")));
  EXPECT_THAT(decision.reasons.back(), HasSubstr("faster by more than"));
}

TEST(Decide, KeepsTheIncumbentWhereTheJudgesOwnClockDoesNotConfirmTheGain) {
  Session session = make_session({{-0.2, -0.2}, {-0.21, -0.19}, {-0.2, -0.2}});
  for (task::Sample& sample : session.samples) {
    sample.round_trip_ns = 9'000'000;  // On both sides the same: what the candidate saves is spent elsewhere.
  }
  judge(session);
  ASSERT_EQ(session.evaluation.outcome, task::Outcome::indistinguishable);
  const Decision decision = decide_or_fail(session, Policy{});
  EXPECT_EQ(decision.verdict, Decision::Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("the judge's own clock does not confirm"));
}

TEST(Decide, KeepsTheIncumbentWhereTheGainIsInsideTheNoise) {
  const std::vector<std::vector<double>> gain = {{-0.05, -0.05}, {-0.051, -0.049}, {-0.05, -0.05}};
  Session quiet = make_session(gain);
  add_self(quiet, {0.001, -0.001, 0.0});
  EXPECT_EQ(decide_or_fail(quiet, Policy{}).verdict, Decision::Verdict::promote);
  Session loud = make_session(gain);
  add_self(loud, {0.03, -0.03, 0.03});
  ASSERT_EQ(loud.evaluation.outcome, task::Outcome::indistinguishable);
  const Decision decision = decide_or_fail(loud, Policy{});
  EXPECT_EQ(decision.verdict, Decision::Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("incumbent against a copy of itself"));
  EXPECT_GT(decision.speedup, 1.04) << "what was measured is told all the same";
}

TEST(Decide, KeepsTheIncumbentWhereTheSessionTellsACopyApart) {
  Session session = make_session({{-0.5, -0.5}, {-0.51, -0.49}, {-0.5, -0.5}});
  add_self(session, {0.05, 0.051, 0.049});
  const Decision decision = decide_or_fail(session, Policy{});
  EXPECT_EQ(decision.verdict, Decision::Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("the session is void"));
}

TEST(Decide, ASelfComparisonThatWasAskedForAndIsMissingDoubtsEveryGain) {
  Session session = make_session({{-0.5, -0.5}, {-0.51, -0.49}, {-0.5, -0.5}});
  add_self(session, {});
  const Decision decision = decide_or_fail(session, Policy{});
  EXPECT_EQ(decision.verdict, Decision::Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("too few pairs of the incumbent with a copy"));
}

TEST(Decide, AJudgeThatSpeaksOfAnotherNoiseThanItsSamplesIsAnInternalError) {
  Session session = make_session({{-0.05, -0.05}, {-0.051, -0.049}, {-0.05, -0.05}});
  add_self(session, {0.001, -0.001, 0.0});
  session.evaluation.comparison->aa->noise_floor *= 2;
  const auto decision = decide(session.request, session.evaluation, session.samples, *built_in_policy("quick"));
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, "promote.disagreement");
  EXPECT_THAT(decision.error().message, HasSubstr("noise floor"));
}

TEST(Decide, RefusesASampleThatWasTimedOtherwise) {
  Session session = make_session({{-0.3, -0.3}, {-0.31, -0.29}, {-0.3, -0.3}});
  session.samples.back().timing = base::Timing{base::TimingMethod::wall, base::CacheState::hot};
  const auto decision = decide(session.request, session.evaluation, session.samples, Policy{});
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, "promote.clock");
  session.samples.back().timing->cache = base::CacheState::cold;
  EXPECT_TRUE(decide(session.request, session.evaluation, session.samples, Policy{}));
}

TEST(Decide, GuardsTheMeanLatency) {
  // Each of nine small workloads gains, the largest loses within its own limit, and the sum rises.
  std::vector<double> row(10, -0.05);
  row[9] = 0.30;
  Session session = make_session({row, row, row});
  for (task::Sample& sample : session.samples) {
    sample.elapsed_ns *= sample.workload == 9 && sample.repetition > 0 ? 100 : 1;
  }
  session.request.plan.maximum_regression = 0.5;
  session.request.plan.minimum_effect = 0.01;
  testing::judge(session);
  ASSERT_EQ(session.evaluation.outcome, task::Outcome::better);
  Policy policy = lenient();
  EXPECT_EQ(decide_or_fail(session, policy).verdict, Verdict::promote);
  policy.maximum_mean_regression = 0.0;
  const Decision decision = decide_or_fail(session, policy);
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("the mean latency rises by 3"));
}

TEST(Decide, GuardsTheNinetyFifthPercentile) {
  std::vector<double> row(10, -0.20);
  row[0] = 0.20;  // the smallest workload: the mean hardly notices
  Session session = make_session({row, row, row});
  session.request.plan.maximum_regression = 0.5;
  testing::judge(session);
  Policy policy;
  policy.maximum_p95_regression = 0.20;
  EXPECT_EQ(decide_or_fail(session, policy).verdict, Verdict::promote);
  policy.maximum_p95_regression = 0.0;
  const Decision decision = decide_or_fail(session, policy);
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("95th percentile"));
}

TEST(Decide, KeepsTheIncumbentWhereTheCandidateFailed) {
  Session session = make_session({{-0.30}, {-0.31}, {-0.29}});
  session.evaluation.outcome = task::Outcome::crashed;
  session.evaluation.cause = "signal 11 on workload w0";
  const Decision decision = decide_or_fail(session, Policy{});
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_EQ(decision.workloads, 0);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("crashed: signal 11 on workload w0"));
}

TEST(Decide, KeepsTheIncumbentWhereACellIsMissing) {
  Session session = make_session({{-0.30, -0.30}, {-0.31, -0.30}, {-0.29, -0.30}});
  std::erase_if(session.samples, [](const task::Sample& sample) {
    return sample.pair == 2 && sample.workload == 1 && sample.side == task::Side::candidate;
  });
  Decision decision = decide_or_fail(session, Policy{});
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), AllOf(HasSubstr("incomplete"), HasSubstr("w1"), HasSubstr("pair 2")));

  std::erase_if(session.samples, [](const task::Sample& sample) { return sample.workload == 1; });
  decision = decide_or_fail(session, Policy{});
  EXPECT_THAT(decision.reasons.front(), AllOf(HasSubstr("w1"), HasSubstr("pair 0")));

  session.samples.clear();
  decision = decide_or_fail(session, Policy{});
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("there are no timed calls"));
}

TEST(Decide, IsAnInternalErrorWhereTheJudgeContradictsItsSamples) {
  Session session = make_session({{0.01}, {0.02}, {0.015}});
  session.evaluation.outcome = task::Outcome::better;
  const auto decision = decide(session.request, session.evaluation, session.samples, Policy{});
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().owner, base::Owner::internal);
}

TEST(Decide, RefusesTimesOfAnotherMethodThanThePolicys) {
  Session session = make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}});
  session.request.device = "cuda:0";
  session.evaluation.device = "cuda:0";
  Policy policy;
  EXPECT_TRUE(decide(session.request, session.evaluation, session.samples, policy));
  policy.sweep.clock = base::TimingMethod::events;  // Said aloud, it is the same.
  EXPECT_TRUE(decide(session.request, session.evaluation, session.samples, policy));
  policy.sweep.clock = base::TimingMethod::graph;
  const auto other_method = decide(session.request, session.evaluation, session.samples, policy);
  ASSERT_FALSE(other_method);
  EXPECT_EQ(other_method.error().owner, base::Owner::input);
  EXPECT_EQ(other_method.error().code, "promote.clock");
  EXPECT_THAT(other_method.error().message, AllOf(HasSubstr("events, cold"), HasSubstr("graph, cold")));
  policy.sweep.clock.reset();
  policy.sweep.cache = base::CacheState::hot;
  EXPECT_EQ(decide(session.request, session.evaluation, session.samples, policy).error().code, "promote.clock");
}

TEST(Decide, NeedsAnIncumbent) {
  Session session = make_session({{-0.30}, {-0.31}, {-0.29}});
  session.request.incumbent.reset();
  const auto decision = decide(session.request, session.evaluation, session.samples, Policy{});
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, "promote.no_incumbent");
}

RC_GTEST_PROP(DecideProperty, PromotesOnlyAShownGain, ()) {
  const auto center = *rc::gen::inRange(-100, 100);
  const auto noise = *rc::gen::container<std::vector<int>>(12, rc::gen::inRange(-60, 60));
  std::vector<std::vector<double>> rows(6, std::vector<double>(2));
  for (std::size_t i = 0; i < noise.size(); ++i) {
    rows[i / 2][i % 2] = 0.001 * (center + noise[i]);
  }
  const Decision decision = decide_or_fail(make_session(rows), lenient());
  RC_ASSERT(decision.speedup_lower <= decision.speedup && decision.speedup <= decision.speedup_upper);
  RC_ASSERT(!decision.reasons.empty());
  if (decision.verdict == Verdict::promote) {
    RC_ASSERT(decision.speedup_lower > 1 / 0.98);
  }
}

TEST(DecisionJson, SurvivesStorage) {
  Decision decision = decide_or_fail(make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}}), Policy{});
  auto read = decode_decision(encode(decision), "journal");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(encode(*read), encode(decision));
  EXPECT_EQ(read->verdict, Verdict::promote);

  decision = Decision{};  // infinite bounds
  decision.reasons = {"nothing was compared"};
  read = decode_decision(encode(decision), "journal");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(std::isinf(read->speedup_upper));
  EXPECT_EQ(encode(*read), encode(decision));
}

TEST(DecisionJson, RefusesWhatItDoesNotKnow) {
  Decision decision;
  decision.reasons = {"x"};
  base::Json json = encode(decision);
  json["verdict"] = "promoted";
  auto read = decode_decision(json, "journal");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("/verdict"));
  json = encode(decision);
  json["reasons"] = base::Json::array();
  EXPECT_FALSE(decode_decision(json, "journal"));
  json = encode(decision);
  json["extra"] = 1;
  EXPECT_FALSE(decode_decision(json, "journal"));
}

// A policy that accepts failure rates up to this.
Policy accepting(double bound) {
  Policy policy;
  policy.replay = {100'000, bound, {}};
  return policy;
}

TEST(Decide, AWinnerOfWhichTooLittleIsKnownIsNotPromoted) {
  Session session = make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}});
  session.evaluation.clean_on_workloads = {150, 150};
  const Decision kept = decide_or_fail(session, accepting(0.009));
  EXPECT_EQ(kept.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(kept.reasons.front(), AllOf(HasSubstr("bounded by 0.994 %"), HasSubstr("300 clean trials"),
                                          HasSubstr("accepts at most 0.9 %")));
  EXPECT_THAT(kept.reasons.back(), HasSubstr("faster by more than"));
  EXPECT_EQ(decide_or_fail(session, accepting(0.01)).verdict, Verdict::promote);
  session.evaluation.clean_on_workloads = {299, 1};
  EXPECT_EQ(decide_or_fail(session, accepting(0.01)).verdict, Verdict::keep_incumbent)
      << "of the second workload nothing is known";
}

TEST(Decide, TheBoundIsThatOfTheOperator) {
  Session session = make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}});
  session.evaluation.clean_on_workloads = {150, 150};
  session.request.definition.name = "scale";
  session.request.definition.op_type = "elementwise";
  Policy policy = accepting(1);
  policy.replay.failure_bounds = {{"elementwise", 0.001}};
  EXPECT_EQ(decide_or_fail(session, policy).verdict, Verdict::keep_incumbent);
  policy.replay.failure_bounds.emplace_back("scale", 0.01);
  EXPECT_EQ(decide_or_fail(session, policy).verdict, Verdict::promote);
}

TEST(Decide, WithoutCountsNothingIsKnown) {
  const Session session = make_session({{-0.30}, {-0.31}, {-0.29}});
  const Decision decision = decide_or_fail(session, accepting(0.5));
  EXPECT_EQ(decision.verdict, Verdict::keep_incumbent);
  EXPECT_THAT(decision.reasons.front(), HasSubstr("after 0 clean trials"));
  EXPECT_THAT(decision.correctness, HasSubstr("nothing is known"));
}

TEST(Decide, SaysHowOftenAWinnerMayBeWrong) {
  Session session = make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}});
  session.evaluation.trials = task::TrialsRecord{400, 100, 1, 1, {300, 100}};
  const Decision decision = decide_or_fail(session, Policy{});
  EXPECT_THAT(decision.correctness,
              AllOf(HasSubstr("0 failures in 400 trials"), HasSubstr("weakest stratum workload w1: 100 trials")));
  const auto read = decode_decision(base::Json::parse(encode(decision).dump()), "d");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->correctness, decision.correctness);
  session.evaluation.outcome = task::Outcome::incorrect;
  EXPECT_EQ(decide_or_fail(session, Policy{}).correctness, "") << "it is known to be wrong";
  EXPECT_FALSE(encode(Decision{}).contains("correctness"));
}

}  // namespace
}  // namespace assay::promote
