#include <assay/evaluate/repeated_code.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace assay::evaluate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A candidate and an incumbent of other bytes, both built to `code`.
struct Twins {
  task::EvaluationRequest request;
  task::Evaluation evaluation;

  explicit Twins(const std::string& code = std::string(64, 'a')) {
    request.incumbent.emplace();
    request.incumbent->name = "old";
    request.refuse_twin = true;
    evaluation.candidate.content = base::sha256("new");
    evaluation.incumbent.emplace();
    evaluation.incumbent->content = base::sha256("old");
    evaluation.candidate_build.code.machine_code = code;
    evaluation.incumbent_build.emplace();
    evaluation.incumbent_build->code.machine_code = code;
  }
  [[nodiscard]] std::optional<task::Finding> repeated() const { return repeated_code(evaluation, request); }
};

TEST(RepeatedCode, TheIncumbentsMachineCodeIsRefused) {
  const Twins twins;
  const auto found = twins.repeated();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "same_machine_code");
  EXPECT_EQ(found->message, "the same machine code as the incumbent 'old'; nothing was run");
}

TEST(RepeatedCode, OnlyWhereTheRequestDoesNotWantItTimed) {
  Twins twins;
  twins.request.refuse_twin = false;
  EXPECT_FALSE(twins.repeated());
  EXPECT_TRUE(task::is_self_comparison(twins.evaluation));
}

TEST(RepeatedCode, TheIncumbentItselfMayBeTimedAgainstItself) {
  Twins twins;
  twins.evaluation.incumbent->content = twins.evaluation.candidate.content;
  twins.request.known_code = {{3, twins.evaluation.candidate_build.code.machine_code}};
  EXPECT_FALSE(twins.repeated());
}

TEST(RepeatedCode, OtherCodeRepeatsNothing) {
  Twins twins;
  twins.evaluation.incumbent_build->code.machine_code = std::string(64, 'b');
  twins.request.known_code = {{0, std::string(64, 'c')}};
  EXPECT_FALSE(twins.repeated());
  EXPECT_FALSE(task::is_self_comparison(twins.evaluation));
}

// Two builds of which nobody knows the machine code are not the same for that.
TEST(RepeatedCode, UnknownCodeIsNotTheSame) {
  Twins twins("");
  EXPECT_FALSE(twins.repeated());
  EXPECT_FALSE(task::is_self_comparison(twins.evaluation));
}

// The GPU executes the same, launched otherwise.
TEST(RepeatedCode, TheSameOnTheGpuAloneIsNotTheSame) {
  Twins twins;
  twins.evaluation.candidate_build.code.machine_code = std::string(64, 'b');
  twins.evaluation.candidate_build.code.sass = std::string(64, 'd');
  twins.evaluation.incumbent_build->code.sass = std::string(64, 'd');
  EXPECT_FALSE(twins.repeated());
}

TEST(RepeatedCode, AKnownCandidateIsNamed) {
  Twins twins;
  twins.request.refuse_twin = false;
  twins.request.known_code = {{0, std::string(64, 'c')}, {7, twins.evaluation.candidate_build.code.machine_code}};
  EXPECT_EQ(twins.repeated().value().message, "the same machine code as candidate 7; nothing was run");
  twins.request.known_code[1].candidate = 0;
  EXPECT_EQ(twins.repeated().value().message, "the same machine code as the baseline; nothing was run");
}

TEST(SelfComparisonFinding, NeverCallsIt) {
  const Twins twins;
  task::Comparison comparison;
  comparison.pairs = 6;
  comparison.log_ratio = -0.01;
  comparison.log_ratio_lower = -0.03;
  comparison.log_ratio_upper = 0.01;
  const task::Finding quiet = self_comparison_finding(comparison, twins.request);
  EXPECT_EQ(quiet.kind, "self_comparison");
  EXPECT_THAT(quiet.message,
              HasSubstr("(A/A): 1.010x as fast as 'old' (95 % interval 0.990 to 1.030, 6 process pairs)"));
  EXPECT_THAT(quiet.message, Not(HasSubstr("apart")));
  comparison.log_ratio_upper = -0.005;
  EXPECT_THAT(self_comparison_finding(comparison, twins.request).message, HasSubstr("tells the two apart"));
}

}  // namespace
}  // namespace assay::evaluate
