#include <assay/certify/session.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <assay/promote/session_fixture.hpp>
#include <assay/stats/binomial_bound.hpp>
#include <assay/stats/failure_bound.hpp>
#include <assay/stats/symmetric_evidence.hpp>

namespace assay::certify {
namespace {

using base::Json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<std::vector<double>> kFaster = {{-0.20, -0.30}, {-0.21, -0.29}, {-0.19, -0.31}};

// A session of which the journal says what is true.
Session session_of(promote::testing::Session made) {
  Session session;
  session.folder = kSweepFolder;
  session.sequence = 9;
  session.intended.candidate = 4;
  session.request = std::move(made.request);
  session.evaluation = std::move(made.evaluation);
  session.samples = std::move(made.samples);
  if (const auto decision = promote::decide(session.request, session.evaluation, session.samples, {})) {
    session.journalled = *decision;
  }
  return session;
}

Json describe(const Session& session) {
  const auto json = describe_session(session, {});
  EXPECT_TRUE(json) << json.error().text();
  return json.value_or(Json());
}

TEST(DescribeSession, SaysTheDecisionAndItsTest) {
  const Session session = session_of(promote::testing::make_session(kFaster));
  const Json json = describe(session);
  EXPECT_EQ(json["decision"]["verdict"], "promote");
  EXPECT_EQ(json["candidate"], 4);
  EXPECT_EQ(json["against"], 0);
  const Json& test = json["test"];
  EXPECT_EQ(test["decided_by"], "student_t");
  EXPECT_EQ(test["conclusion"], "better");
  EXPECT_EQ(test["pairs"], 3);
  EXPECT_EQ(test["hypothesis"], "the candidate is not faster than the incumbent by more than 2 %");
  const std::vector<double> pairs = {-0.25, -0.25, -0.25};
  EXPECT_NEAR(test["log_e_value"].get<double>(), stats::log_evidence_below(pairs, std::log1p(-0.02)), 1e-3);
  EXPECT_GT(test["log_e_value"].get<double>(), 0);
  EXPECT_LT(test["log_e_value_of_the_opposite"].get<double>(), 0);
  EXPECT_NEAR(test["log_e_value_needed"].get<double>(), std::log(2 / 0.05), 1e-12);
  EXPECT_NEAR(test["log_ratio"]["mean"].get<double>(), -0.25, 1e-4);
  EXPECT_LT(test["log_ratio"]["lower"].get<double>(), test["log_ratio"]["upper"].get<double>());
  EXPECT_TRUE(json["incumbent_against_itself"].is_null());
}

TEST(DescribeSession, SaysEachPair) {
  const Session session = session_of(promote::testing::make_session(kFaster));
  const Json json = describe(session);
  ASSERT_THAT(json["pairs"], SizeIs(3));
  EXPECT_EQ(json["pairs"][1]["samples"], 2 * 2 * 3);
  EXPECT_NEAR(json["pairs"][1]["log_ratio"].get<double>(), -0.25, 1e-4);
  EXPECT_EQ(json["pairs"][1]["sha256"], pair_digest(session.samples, 1).hex());
  EXPECT_NE(pair_digest(session.samples, 1), pair_digest(session.samples, 2));
}

TEST(DescribeSession, SaysEachGuard) {
  // Faster as a whole, and the second workload is too slow.
  const Json json = describe(
      session_of(promote::testing::make_session({{-0.50, 0.200}, {-0.51, 0.201}, {-0.49, 0.199}, {-0.5, 0.2}})));
  EXPECT_EQ(json["decision"]["verdict"], "keep_incumbent");
  const Json& guards = json["guards"];
  EXPECT_EQ(guards["workloads"][0]["too_slow"], false);
  EXPECT_EQ(guards["workloads"][1]["too_slow"], true);
  EXPECT_EQ(guards["workloads"][1]["workload"], "w1");
  EXPECT_NEAR(guards["workloads"][1]["log_ratio"]["mean"].get<double>(), 0.2, 0.01);
  EXPECT_NEAR(guards["each_workload_at_most"].get<double>(), 1.05, 1e-12);
  EXPECT_GT(guards["p95"]["ratio"].get<double>(), 1.1);
  EXPECT_EQ(guards["p95"]["too_slow"], true);
  EXPECT_NEAR(guards["mean_latency"]["at_most"].get<double>(), 1, 1e-12);
}

TEST(DescribeSession, SaysWhatTheIncumbentShowsAgainstItself) {
  promote::testing::Session made = promote::testing::make_session(kFaster);
  promote::testing::add_self(made, {0.001, -0.001, 0.0005});
  const Json json = describe(session_of(std::move(made)));
  const Json& self = json["incumbent_against_itself"];
  EXPECT_THAT(self["pair_log_ratios"], SizeIs(3));
  EXPECT_EQ(self["void"], false);
  EXPECT_GT(self["noise_floor"].get<double>(), 0.0005);
  EXPECT_EQ(json["decision"]["verdict"], "promote");
}

// Checked: all of the candidate's calls on the first workload, one on the second. The incumbent's count for nothing.
promote::testing::Session checked_session() {
  promote::testing::Session made = promote::testing::make_session(kFaster);
  bool second = false;
  for (task::Sample& sample : made.samples) {
    sample.checked = sample.workload == 0 || sample.side == task::Side::incumbent || !second;
    second = second || (sample.workload == 1 && sample.side == task::Side::candidate);
  }
  made.evaluation.stress_trials = 5;
  made.evaluation.clean_on_workloads = {6, 1};
  return made;
}

TEST(DescribeSession, BoundsTheFailureRateByTheTrialsOfTheDecision) {
  const Session session = session_of(checked_session());
  const Json whole = describe(session);
  const Json& json = whole["correctness"];
  ASSERT_THAT(json["strata"], SizeIs(2));
  EXPECT_EQ(json["strata"][0]["trials"], 6) << "repeated and perturbed calls are no trials";
  EXPECT_EQ(json["strata"][0]["checked_in_samples"], 9);
  EXPECT_EQ(json["strata"][1]["trials"], 1);
  EXPECT_EQ(json["trials"], 7);
  EXPECT_EQ(json["difficult_inputs"], 5);
  EXPECT_EQ(json["weakest"], "w1");
  EXPECT_NEAR(json["weakest_below"].get<double>(), 0.95, 1e-9) << "one trial says next to nothing";
  EXPECT_NEAR(json["strata"][0]["below"].get<double>(), stats::failure_rate_upper_bound(0, 6, 0.95), 1e-9);
  const std::vector<stats::Stratum> strata = {{6, 0, 1}, {1, 0, 1}};
  EXPECT_NEAR(json["in_use_below"].get<double>(), stats::bound_strata(strata, 0.95).in_use, 1e-12);
  EXPECT_THAT(whole["decision"]["correctness"].get<std::string>(), HasSubstr("0 failures in 7 trials"))
      << "the decision's words and the certificate's bound are of the same trials";
}

TEST(DescribeSession, TheFirstVersionCountedEveryCheckedCall) {
  promote::testing::Session made = checked_session();
  const auto first = [](const promote::testing::Session& of) {
    return describe_session(session_of(of), {}, kFirstCertificateVersion).value_or(Json())["correctness"];
  };
  const Json json = first(made);
  EXPECT_EQ(json["strata"][0]["trials"], 9);
  EXPECT_EQ(json["strata"][1]["trials"], 1);
  EXPECT_FALSE(json["strata"][0].contains("checked_in_samples"));
  made.evaluation.trials = task::TrialsRecord{600, 100, 1, 1, {200, 400}};
  const Json more = first(made);
  EXPECT_EQ(more["strata"][0]["trials"], 209);
  EXPECT_EQ(more["strata"][1]["trials"], 401);
}

TEST(DescribeSession, OfACandidateThatFailedHasNoTestAndNoBound) {
  promote::testing::Session made = promote::testing::make_session(kFaster);
  made.evaluation.outcome = task::Outcome::incorrect;
  made.evaluation.cause = "y[0] is 3 and must be 2";
  const Json json = describe(session_of(std::move(made)));
  EXPECT_EQ(json["decision"]["verdict"], "keep_incumbent");
  EXPECT_EQ(json["outcome"], "incorrect");
  for (const char* field : {"test", "guards", "correctness", "incumbent_against_itself"}) {
    EXPECT_TRUE(json[field].is_null()) << field;
  }
}

TEST(DescribeSession, RefusesSamplesOfNoWorkloadAndAJudgeThatLies) {
  Session session = session_of(promote::testing::make_session(kFaster));
  session.samples.front().workload = 7;
  EXPECT_EQ(describe_session(session, {}).error().code, "certificate.samples");
  session = session_of(promote::testing::make_session(kFaster));
  session.evaluation.outcome = task::Outcome::indistinguishable;
  EXPECT_EQ(describe_session(session, {}).error().code, "promote.disagreement");
}

TEST(PairDigest, CoversEveryFieldOfASample) {
  const std::vector<task::Sample> one(1);
  const base::Digest plain = pair_digest(one, 0);
  const auto differs = [&](auto change) {
    auto other = one;
    change(other.front());
    return pair_digest(other, 0) != plain;
  };
  EXPECT_TRUE(differs([](task::Sample& s) { s.pair = 1; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.order = 1; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.side = task::Side::incumbent; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.workload = 1; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.repetition = 1; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.elapsed_ns = 1; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.round_trip_ns = 1; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.checked = true; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.self = true; }));
  EXPECT_TRUE(differs([](task::Sample& s) { s.timing.emplace(); }));
}

TEST(DecisionDifferences, AllowAnotherMachinesLastDigitAndNoMore) {
  Session session = session_of(promote::testing::make_session(kFaster));
  const promote::Decision truth = session.journalled;
  session.journalled.speedup *= 1 + 1e-13;
  session.journalled.reasons = {"in other words"};
  EXPECT_THAT(decision_differences(session, truth), IsEmpty());
  const auto differs = [&](auto change, const char* field) {
    session.journalled = truth;
    change(session.journalled);
    const auto found = decision_differences(session, truth);
    ASSERT_THAT(found, SizeIs(1)) << field;
    EXPECT_EQ(found[0].place, std::string("journal.jsonl: line 9: /body/decision/") + field);
    EXPECT_THAT(found[0].what, HasSubstr("the samples of sweep give"));
  };
  using promote::Decision;
  differs([](Decision& d) { d.verdict = Decision::Verdict::keep_incumbent; }, "verdict");
  differs([](Decision& d) { d.speedup *= 1.0001; }, "speedup");
  differs([](Decision& d) { d.speedup_lower *= 1.0001; }, "speedup_lower");
  differs([](Decision& d) { d.speedup_upper *= 1.0001; }, "speedup_upper");
  differs([](Decision& d) { d.mean_latency_ratio *= 1.0001; }, "mean_latency_ratio");
  differs([](Decision& d) { d.contest_score *= 1.0001; }, "contest_score");
  differs([](Decision& d) { d.p95_ratio *= 1.0001; }, "p95_ratio");
  differs([](Decision& d) { ++d.workloads; }, "workloads");
  differs([](Decision& d) { ++d.pairs; }, "pairs");
}

}  // namespace
}  // namespace assay::certify
