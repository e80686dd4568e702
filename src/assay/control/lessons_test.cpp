#include <assay/control/lessons.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/archive/sample_bundle.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::IsEmpty;
using testing::must;
using ::testing::SizeIs;

struct LessonSession {
  CampaignState state;
  PendingEvaluation target{Purpose::gate, 1, 1, "c-1-gate-1"};
  task::EvaluationRequest request = archive::sample_request("c-1-gate-1");
  task::Evaluation evaluation;
  std::vector<task::Sample> samples;

  LessonSession() {
    state.candidates.resize(1);
    state.candidates[0].number = 1;
    request.incumbent = archive::sample_solution("y = x + x;");
    request.plan.self_comparison = true;
    evaluation = archive::sample_evaluation(request);
  }

  // One pair of the incumbent with itself, of which the copy takes this much longer.
  void add_self_pair(double log_ratio) {
    const auto pair = static_cast<std::int32_t>(samples.size() / 4);
    for (int i = 0; i < 4; ++i) {
      task::Sample sample;
      sample.pair = pair;
      sample.side = i % 2 == 0 ? task::Side::candidate : task::Side::incumbent;
      sample.repetition = i / 2;
      sample.elapsed_ns = std::llround(1e6 * (i % 2 == 0 ? std::exp(log_ratio) : 1));
      sample.round_trip_ns = sample.elapsed_ns + 1000;
      sample.self = true;
      samples.push_back(sample);
    }
  }

  std::vector<Entry> lessons() { return must(lessons_of(state, target, request, evaluation, samples)); }
};

TEST(Lessons, TheSessionsOwnNoiseIsEvidence) {
  LessonSession session;
  session.add_self_pair(0.010);
  session.add_self_pair(-0.010);
  session.add_self_pair(0.002);
  const auto lessons = session.lessons();
  ASSERT_THAT(lessons, SizeIs(1));
  const task::Evidence& evidence = std::get<EvidenceRecorded>(lessons[0]).evidence;
  EXPECT_EQ(evidence.kind, task::EvidenceKind::noise_floor);
  EXPECT_GT(evidence.value, 0.010);
  EXPECT_LT(evidence.value, 0.5);
  EXPECT_EQ(evidence.evaluation, "c-1-gate-1");
  EXPECT_EQ(evidence.environment, task::environment_digest(session.evaluation.environment));
}

TEST(Lessons, OnePairIsNoNoiseFloor) {
  LessonSession session;
  session.add_self_pair(0.010);
  EXPECT_THAT(session.lessons(), IsEmpty());
}

TEST(Lessons, WhereNobodyLookedNothingIsLearned) {
  LessonSession session;
  session.add_self_pair(0.010);
  session.add_self_pair(-0.010);
  session.request.plan.self_comparison = false;
  EXPECT_THAT(session.lessons(), IsEmpty());
}

// A session that ended early, with a candidate that is wrong, says little of the machine.
TEST(Lessons, AFailedCandidateTeachesNoNoise) {
  LessonSession session;
  session.add_self_pair(0.010);
  session.add_self_pair(-0.010);
  session.evaluation.outcome = task::Outcome::incorrect;
  EXPECT_THAT(session.lessons(), IsEmpty());
}

TEST(Headroom, IsOfEachRegimesRepresentative) {
  BaselineMeasured baseline;
  baseline.regimes = {{"n 1", {0}, 0, 0.1}, {"n 2..3", {1, 2}, 2, 0.9}, {"n 4", {3}, 3, 0}, {"n 5", {4}, 4, 0}};
  task::Evaluation evaluation = archive::sample_evaluation(archive::sample_request("c-0-measure-1"));
  evaluation.timings.resize(4);
  for (task::WorkloadTiming& timing : evaluation.timings) {
    timing.candidate_ns = 300;
  }
  evaluation.timings[0].floor_ns = 100;
  evaluation.timings[0].floor_limit = "memory";
  evaluation.timings[2].floor_ns = 400;
  const auto lessons = headroom_of(baseline, evaluation);
  ASSERT_THAT(lessons, SizeIs(1)) << "a floor above the time, none, and a workload without a time";
  const task::Evidence& evidence = std::get<EvidenceRecorded>(lessons[0]).evidence;
  EXPECT_EQ(evidence.kind, task::EvidenceKind::headroom);
  EXPECT_EQ(evidence.regime, "n 1");
  EXPECT_NEAR(std::exp(evidence.value), 3, 1e-12);
  EXPECT_EQ(evidence.word, "memory");
}

TEST(Lessons, OfTheBaselineAloneThereAreNone) {
  LessonSession session;
  session.target = {Purpose::baseline, 0, 1, "c-0-measure-1"};
  EXPECT_THAT(session.lessons(), IsEmpty());
}

}  // namespace
}  // namespace assay::control
