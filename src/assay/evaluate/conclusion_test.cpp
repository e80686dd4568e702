#include <assay/evaluate/conclusion.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <assay/evaluate/remote_device_for_test.hpp>

namespace assay::evaluate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A GPU whose canary takes what the test says, and that is simulated if the test says so.
class CanaryDevice : public RemoteDevice {
 public:
  [[nodiscard]] bool simulated() const override { return is_simulated; }
  [[nodiscard]] base::Result<std::optional<std::chrono::nanoseconds>> time_canary() const override { return canary; }

  std::optional<std::chrono::nanoseconds> canary;
  bool is_simulated = false;
};

// A session of one workload, all but over.
class ConcludedSession {
 public:
  ConcludedSession() {
    request_.workloads.resize(1);
    request_.workloads[0].uuid = "901e5104-0000";
    request_.workloads[0].axes = {{"batch_size", 1}};
    request_.incumbent.emplace().name = "old";
    session_.request = &request_;
    session_.device = &device;
    for (const task::Side side : {task::Side::candidate, task::Side::incumbent}) {
      task::Sample sample;
      sample.side = side;
      sample.repetition = 1;
      sample.elapsed_ns = side == task::Side::candidate ? 8'000 : 10'000;
      sample.round_trip_ns = sample.elapsed_ns + 20'000;
      judged.samples.push_back(sample);
    }
    judgement.stop = true;
    judgement.conclusion = stats::PairedConclusion::better;
    judgement.comparison.pairs = 4;
    judgement.comparison.log_ratio = std::log(0.8);
    judgement.comparison.log_ratio_lower = std::log(0.7);
    judgement.comparison.log_ratio_upper = std::log(0.9);
  }

  const task::Evaluation& compare() {
    EXPECT_TRUE(conclusion.compared(judgement, 1));
    return judged.evaluation;
  }

  [[nodiscard]] std::vector<std::string> kinds() const {
    std::vector<std::string> all;
    for (const task::Finding& finding : judged.evaluation.findings) {
      all.push_back(finding.kind);
    }
    return all;
  }

  // The two sides' builds came to one machine code.
  void make_twins() {
    judged.evaluation.candidate_build.code.machine_code = std::string(64, '1');
    judged.evaluation.incumbent_build = judged.evaluation.candidate_build;
  }

  // More time passed in the candidate's processes than in the incumbent's calls: its times are not to be believed.
  void make_doubtful() {
    PairResult pair;
    pair.interference = {0.5, 0.6, 0.7};
    evidence.add(pair);
  }

  CanaryDevice device;
  PairEvidence evidence;
  Judged judged;
  measure::Judgement judgement;

 private:
  task::EvaluationRequest request_;
  Session session_;
  std::optional<device::DevicePeaks> peaks_;

 public:
  Conclusion conclusion{session_, evidence, peaks_, judged};
};

Fault fault_of(task::Side side, std::optional<std::int32_t> workload) {
  Fault fault;
  fault.side = side;
  fault.outcome = task::Outcome::incorrect;
  fault.cause = "y[3] is 5";
  fault.findings.emplace_back().kind = "mismatch";
  fault.findings.back().workload = workload;
  return fault;
}

TEST(ConclusionOfASession, ACandidatesFaultIsItsOutcomeAndNamesTheWorkload) {
  ConcludedSession session;
  Fault fault = fault_of(task::Side::candidate, 0);
  fault.input.emplace().workload.uuid = "kept";
  ASSERT_TRUE(session.conclusion.blame(std::move(fault)));
  EXPECT_EQ(session.judged.evaluation.outcome, task::Outcome::incorrect);
  EXPECT_EQ(session.judged.evaluation.cause, "y[3] is 5 (workload 901e5104: batch_size 1)");
  EXPECT_THAT(session.kinds(), ElementsAre("mismatch"));
  ASSERT_EQ(session.judged.evaluation.failing_inputs.size(), 1U);
  EXPECT_EQ(session.judged.evaluation.failing_inputs[0].workload.uuid, "kept");
}

TEST(ConclusionOfASession, AFaultThatIsOfNoWorkloadNamesNone) {
  ConcludedSession session;
  ASSERT_TRUE(session.conclusion.blame(fault_of(task::Side::candidate, std::nullopt)));
  EXPECT_EQ(session.judged.evaluation.cause, "y[3] is 5");
  EXPECT_THAT(session.judged.evaluation.failing_inputs, IsEmpty());
}

TEST(ConclusionOfASession, AnIncumbentsFaultIsNoVerdictOnTheCandidate) {
  ConcludedSession session;
  const base::Result<void> blamed = session.conclusion.blame(fault_of(task::Side::incumbent, 0));
  ASSERT_FALSE(blamed);
  EXPECT_EQ(blamed.error().code, "incumbent.failed");
  EXPECT_THAT(blamed.error().message, HasSubstr("the incumbent 'old' fails"));
  EXPECT_THAT(session.judged.evaluation.findings, IsEmpty());
}

TEST(ConclusionOfASession, TheRuleDecidesWhereNothingSpeaksAgainstIt) {
  struct Case {
    stats::PairedConclusion conclusion;
    task::Outcome outcome;
  };
  for (const Case& one : {Case{stats::PairedConclusion::better, task::Outcome::better},
                          Case{stats::PairedConclusion::not_better, task::Outcome::not_better},
                          Case{stats::PairedConclusion::undecided, task::Outcome::indistinguishable}}) {
    ConcludedSession session;
    session.judgement.conclusion = one.conclusion;
    const task::Evaluation& evaluation = session.compare();
    EXPECT_EQ(evaluation.outcome, one.outcome);
    EXPECT_THAT(evaluation.cause, HasSubstr("1.250x as fast as 'old'"));
    EXPECT_THAT(evaluation.findings, IsEmpty());
    ASSERT_EQ(evaluation.timings.size(), 1U);
    EXPECT_EQ(evaluation.timings[0].candidate_ns, 8000.0);
    EXPECT_TRUE(evaluation.comparison.has_value());
  }
}

TEST(ConclusionOfASession, TheJudgesOwnClockTakesAGainBackOrCallsItALie) {
  ConcludedSession unclear;
  unclear.judgement.testimony = stats::Testimony::unclear;
  EXPECT_EQ(unclear.compare().outcome, task::Outcome::indistinguishable);
  EXPECT_THAT(unclear.kinds(), IsEmpty());

  ConcludedSession contradicted;
  contradicted.judgement.testimony = stats::Testimony::contradicted;
  const task::Evaluation& evaluation = contradicted.compare();
  EXPECT_EQ(evaluation.outcome, task::Outcome::suspect);
  EXPECT_THAT(contradicted.kinds(), ElementsAre("irreconcilable_time"));
  EXPECT_EQ(evaluation.cause, evaluation.findings.front().message);
}

TEST(ConclusionOfASession, AGainInsideTheSessionsOwnNoiseIsNone) {
  struct Case {
    stats::Standing standing;
    const char* kind;
  };
  for (const Case& one :
       {Case{stats::Standing::inside_noise, "inside_noise"}, Case{stats::Standing::void_session, "void_session"}}) {
    ConcludedSession session;
    session.judgement.standing = one.standing;
    session.judgement.comparison.aa.emplace().pairs = 4;
    EXPECT_EQ(session.compare().outcome, task::Outcome::indistinguishable);
    EXPECT_THAT(session.kinds(), ElementsAre(one.kind));
  }
}

TEST(ConclusionOfASession, TwinsAreNoiseWhateverTheRuleAndTheClockSay) {
  ConcludedSession session;
  session.make_twins();
  session.judgement.testimony = stats::Testimony::contradicted;
  EXPECT_EQ(session.compare().outcome, task::Outcome::indistinguishable);
  EXPECT_THAT(session.kinds(), ElementsAre("self_comparison"));
}

TEST(ConclusionOfASession, DoubtsComeBeforeAllElseAndStandBeforeTheFlags) {
  ConcludedSession session;
  session.make_doubtful();
  session.make_twins();
  PairResult flagged;
  flagged.flags.emplace_back().kind = "nondeterministic";
  session.evidence.add(flagged);
  session.device.canary = std::chrono::microseconds(100);
  ASSERT_TRUE(session.conclusion.begin());
  session.device.canary = std::chrono::microseconds(120);
  const task::Evaluation& evaluation = session.compare();
  EXPECT_EQ(evaluation.outcome, task::Outcome::suspect);
  EXPECT_THAT(session.kinds(), ElementsAre("interference", "device_changed", "nondeterministic"));
  ASSERT_TRUE(evaluation.canary.has_value());
  EXPECT_DOUBLE_EQ(evaluation.canary->before_ns, 100'000);
  EXPECT_DOUBLE_EQ(evaluation.canary->after_ns, 120'000);
}

TEST(ConclusionOfASession, ADeviceWithoutACanaryLeavesNone) {
  ConcludedSession session;
  ASSERT_TRUE(session.conclusion.begin());
  session.device.canary = std::chrono::microseconds(120);
  EXPECT_FALSE(session.compare().canary.has_value());
}

TEST(ConclusionOfASession, ASimulatedClockIsNotDoubted) {
  ConcludedSession session;
  session.make_doubtful();
  session.device.is_simulated = true;
  EXPECT_EQ(session.compare().outcome, task::Outcome::better);
}

TEST(ConclusionOfASession, ACandidateAloneIsMeasuredUnlessItIsDoubted) {
  ConcludedSession session;
  ASSERT_TRUE(session.conclusion.measured(1));
  EXPECT_EQ(session.judged.evaluation.outcome, task::Outcome::measured);
  EXPECT_THAT(session.judged.evaluation.cause, HasSubstr("timed alone"));
  EXPECT_FALSE(session.judged.evaluation.comparison.has_value());

  ConcludedSession doubtful;
  doubtful.make_doubtful();
  ASSERT_TRUE(doubtful.conclusion.measured(1));
  EXPECT_EQ(doubtful.judged.evaluation.outcome, task::Outcome::suspect);
  EXPECT_THAT(doubtful.kinds(), ElementsAre("interference"));
}

}  // namespace
}  // namespace assay::evaluate
