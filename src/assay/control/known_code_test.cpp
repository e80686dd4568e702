#include <assay/control/known_code.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <assay/base/digest.hpp>
#include <assay/control/campaign.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::HasSubstr;
using testing::Laboratory;
using testing::must;
using testing::sample_configuration;
using testing::sample_solution;

// Four supplied candidates: the second and the fourth are built to the first one's machine code, the third to its own.
CampaignConfiguration with_twins() {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied = {sample_solution("first", "int first;  // speed: 1.1\n// code: a\n"),
                            sample_solution("second", "int second;  // speed: 0.7\n// code: a\n"),
                            sample_solution("third", "int third;  // speed: 1.2\n// code: b\n"),
                            sample_solution("fourth", "int fourth;  // speed: 0.8\n// code: a\n")};
  return configuration;
}

TEST(KnownCode, ACandidateOfTheSameMachineCodeIsNotMeasured) {
  Laboratory laboratory(with_twins());
  const CampaignState state = must(laboratory.run());
  for (const int number : {2, 4}) {
    const CandidateState& twin = state.candidate(number);
    EXPECT_EQ(twin.outcome, task::Outcome::duplicate);
    EXPECT_EQ(twin.duplicate_of, 1) << "the earliest that has it";
    EXPECT_THAT(twin.cause, HasSubstr("the same machine code as candidate 1"));
    EXPECT_FALSE(twin.log_ratio_to_baseline) << "nothing was timed";
    EXPECT_FALSE(twin.gate_evaluation.empty()) << "it was built, which is on record";
  }
  EXPECT_EQ(state.candidate(3).outcome, task::Outcome::not_better);
  EXPECT_EQ(state.candidate(3).duplicate_of, std::nullopt);
}

TEST(KnownCode, OnlyGatesAreToldWhatIsKnown) {
  Laboratory laboratory(with_twins());
  must(laboratory.run());
  int told = 0;
  for (const task::EvaluationRequest& request : laboratory.evaluator().requests) {
    EXPECT_TRUE(request.stage == task::Stage::gate || request.known_code.empty());
    told += request.known_code.empty() ? 0 : 1;
    if (request.candidate.name == "fourth") {
      ASSERT_EQ(request.known_code.size(), 2U) << "one entry for each code";
      EXPECT_EQ(request.known_code[0].candidate, 1);
      EXPECT_EQ(request.known_code[0].machine_code, base::sha256("a").hex());
      EXPECT_EQ(request.known_code[1].candidate, 3);
    }
  }
  EXPECT_GT(told, 2);
}

// Another process reads the same from the archive.
TEST(KnownCode, IsTheSameAfterTheArchiveWasOpenedAgain) {
  Laboratory laboratory(with_twins());
  const CampaignState state = must(laboratory.run());
  KnownCode fresh;
  laboratory.reopen();
  const auto known = must(fresh.before(4, laboratory.state(), laboratory.archive()));
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].candidate, 1);
  EXPECT_TRUE(must(KnownCode().before(1, state, laboratory.archive())).empty());
}

TEST(Repeated, IsWhatADuplicateRepeats) {
  task::EvaluationRequest request;
  request.known_code = {{0, "x"}, {3, "y"}};
  task::Evaluation evaluation;
  evaluation.candidate_build.code.machine_code = "y";
  evaluation.outcome = task::Outcome::indistinguishable;
  EXPECT_FALSE(repeated(request, evaluation));
  evaluation.outcome = task::Outcome::duplicate;
  const auto duplicate = repeated(request, evaluation);
  ASSERT_TRUE(duplicate);
  EXPECT_EQ(duplicate->of, 3);
  EXPECT_EQ(duplicate->sameness, Sameness::machine_code);
  evaluation.candidate_build.code.machine_code = "z";
  EXPECT_FALSE(repeated(request, evaluation)) << "of the incumbent's, which has no number here";
}

}  // namespace
}  // namespace assay::control
