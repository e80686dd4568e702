#include <assay/promote/recompute.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <assay/promote/session_fixture.hpp>

namespace assay::promote {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::make_session;
using testing::Session;

base::Result<stats::PairedComparison> recompute(const Session& session) {
  return promote::recompute(session.request, session.evaluation, session.samples);
}

std::string internal_failure(const Session& session, std::string_view code) {
  const auto result = recompute(session);
  EXPECT_FALSE(result);
  if (result) {
    return {};
  }
  EXPECT_EQ(result.error().owner, base::Owner::internal);
  EXPECT_EQ(result.error().code, code);
  return result.error().message;
}

Session faster() { return make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}}); }

TEST(Recompute, AgreesWithAnHonestJudge) {
  const auto result = recompute(faster());
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_TRUE(result->complete);
  EXPECT_EQ(result->conclusion, stats::PairedConclusion::better);
  EXPECT_NEAR(result->decision.interval.mean, -0.30, 1e-6);
}

TEST(Recompute, AgreesWithAnHonestJudgeWhoGoesByEvidence) {
  Session session = make_session(std::vector<std::vector<double>>(8, {-0.30, -0.31}));
  session.request.plan.test = task::PairedTest::evidence;
  session.request.plan.maximum_pairs = 8;
  testing::judge(session);
  const auto result = recompute(session);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->conclusion, stats::PairedConclusion::better);
  EXPECT_EQ(result->decision.pairs_used, 6) << "fewer cannot reach 2 / 0.05";
  session.request.plan.test = task::PairedTest::student_t;  // A judge that tested otherwise than it was asked to.
  EXPECT_THAT(internal_failure(session, "promote.disagreement"), HasSubstr("s-1"));
}

// One machine code on both sides: whatever the samples say, the judge must not call it better.
TEST(Recompute, TwinsAreNeverBetter) {
  Session session = faster();
  session.evaluation.candidate_build.code.machine_code = std::string(64, 'a');
  session.evaluation.incumbent_build = session.evaluation.candidate_build;
  EXPECT_THAT(internal_failure(session, "promote.disagreement"), HasSubstr("it said better"));
  session.evaluation.outcome = task::Outcome::indistinguishable;
  const auto result = recompute(session);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->conclusion, stats::PairedConclusion::undecided);
  EXPECT_EQ(result->decision.conclusion, stats::PairedConclusion::better) << "what the rule alone would have said";
}

TEST(Recompute, LeavesWarmUpCallsOut) {
  Session session = faster();
  for (task::Sample& sample : session.samples) {
    sample.elapsed_ns *= sample.repetition == 0 ? 1000000000 : 1;
  }
  EXPECT_TRUE(recompute(session));
}

TEST(Recompute, AcceptsPairsAfterTheDecidingLook) {
  Session session = make_session({{-0.30}, {-0.31}, {-0.29}, {4.0}});
  const auto result = recompute(session);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->decision.pairs_used, 3);
}

TEST(Recompute, RefusesAnOutcomeThatTheSamplesContradict) {
  Session session = faster();
  session.evaluation.outcome = task::Outcome::indistinguishable;
  EXPECT_THAT(
      internal_failure(session, "promote.disagreement"),
      AllOf(HasSubstr("s-1"), HasSubstr("said indistinguishable, the samples say better"), HasSubstr("3 pairs")));
  session = make_session({{0.30}, {0.31}, {0.29}});
  session.evaluation.outcome = task::Outcome::better;
  EXPECT_THAT(internal_failure(session, "promote.disagreement"), HasSubstr("the samples say not_better"));
  session.evaluation.outcome = task::Outcome::measured;
  EXPECT_THAT(internal_failure(session, "promote.disagreement"), HasSubstr("said measured"));
}

TEST(Recompute, RefusesASampleThatWasChanged) {
  Session session = faster();
  for (task::Sample& sample : session.samples) {
    sample.elapsed_ns -= sample.side == task::Side::candidate && sample.repetition > 0 ? 100 : 0;
  }
  EXPECT_THAT(internal_failure(session, "promote.disagreement"), HasSubstr("said a log-ratio of"));
}

TEST(Recompute, RefusesAnOutcomeWithoutItsComparison) {
  Session session = faster();
  session.evaluation.comparison.reset();
  EXPECT_THAT(internal_failure(session, "promote.disagreement"), HasSubstr("without a comparison"));
}

TEST(Recompute, RefusesSamplesOfAnotherRequest) {
  const auto with = [](auto change) {
    Session session = faster();
    change(session.samples.back());
    return session;
  };
  EXPECT_THAT(internal_failure(with([](task::Sample& sample) { sample.workload = 2; }), "promote.samples"),
              HasSubstr("2 workloads"));
  internal_failure(with([](task::Sample& sample) { sample.workload = -1; }), "promote.samples");
  internal_failure(with([](task::Sample& sample) { sample.pair = -1; }), "promote.samples");
  EXPECT_THAT(internal_failure(with([](task::Sample& sample) { sample.pair = 6; }), "promote.samples"),
              HasSubstr("at most 6 pairs"));
}

TEST(Recompute, RefusesSamplesThatWereTimedOtherwiseThanAsked) {
  testing::Session session = testing::make_session({{-0.30, -0.31}, {-0.31, -0.29}, {-0.29, -0.30}});
  session.evaluation.timing = task::timing_of(session.request);
  EXPECT_TRUE(recompute(session));
  session.evaluation.timing->cache = base::CacheState::hot;
  const auto refused = recompute(session);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::input);
  EXPECT_EQ(refused.error().code, "promote.clock");
}

TEST(Recompute, ConcludesNothingFromMissingCells) {
  Session session = faster();
  session.samples.erase(std::remove_if(session.samples.begin(), session.samples.end(),
                                       [](const task::Sample& sample) {
                                         return sample.pair == 1 && sample.workload == 1 &&
                                                sample.side == task::Side::incumbent;
                                       }),
                        session.samples.end());
  const auto result = recompute(session);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_FALSE(result->complete);
  EXPECT_EQ(result->conclusion, stats::PairedConclusion::undecided);
}

TEST(Recompute, AsksNothingOfAFailedCandidate) {
  Session session = faster();
  session.evaluation.outcome = task::Outcome::incorrect;
  session.evaluation.comparison.reset();
  EXPECT_TRUE(recompute(session));
  session.samples.clear();
  EXPECT_TRUE(recompute(session));
}

}  // namespace
}  // namespace assay::promote
