#include <assay/evaluate/wording.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/evaluate/call_findings.hpp>

namespace assay::evaluate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// 1.25 times as fast, by an interval of 1.111 to 1.429.
task::Comparison quarter_faster() {
  task::Comparison comparison;
  comparison.pairs = 4;
  comparison.log_ratio = std::log(0.8);
  comparison.log_ratio_lower = std::log(0.7);
  comparison.log_ratio_upper = std::log(0.9);
  return comparison;
}

task::EvaluationRequest against_old() {
  task::EvaluationRequest request;
  request.incumbent = task::Solution{};
  request.incumbent->name = "old";
  request.plan.alpha = 0.05;
  request.plan.minimum_effect = 0.02;
  request.plan.maximum_pairs = 8;
  return request;
}

TEST(Wording, SpeedupsAreTheIncumbentsTimeOverTheCandidates) {
  const std::string text = comparison_text(quarter_faster(), against_old());
  EXPECT_EQ(text, "1.250x as fast as 'old' (95 % interval 1.111 to 1.429, 4 process pairs)");
  task::Comparison slower = quarter_faster();
  slower.log_ratio = std::log(2.0);
  EXPECT_THAT(comparison_text(slower, against_old()), HasSubstr("0.500x as fast"));
}

TEST(Wording, TheIntervalIsNamedByThePlansAlpha) {
  struct Case {
    double alpha;
    const char* words;
  };
  for (const Case& one : {Case{0.05, "95 % interval"}, Case{0.01, "99 % interval"}, Case{0.001, "99.9 % interval"},
                          Case{0.2, "80 % interval"}}) {
    task::EvaluationRequest request = against_old();
    request.plan.alpha = one.alpha;
    EXPECT_THAT(comparison_text(quarter_faster(), request), HasSubstr(one.words));
  }
}

TEST(Wording, WithoutANameItIsTheIncumbent) {
  EXPECT_THAT(comparison_text(quarter_faster(), task::EvaluationRequest{}), HasSubstr("as fast as the incumbent ("));
}

TEST(Wording, EverySentenceOfAComparisonNamesFactorIncumbentIntervalAndPairs) {
  const task::EvaluationRequest request = against_old();
  for (const auto& text : {comparison_text, not_better_text, unconfirmed_text, contradicted_text, undecided_text}) {
    EXPECT_THAT(text(quarter_faster(), request),
                AllOf(HasSubstr("1.250x as fast as 'old'"), HasSubstr("1.111 to 1.429"), HasSubstr("4 process pairs")));
  }
}

TEST(Wording, WhatIsNotBetterSaysWhichGainIsExcludedUnlessAWorkloadRegressed) {
  task::Comparison comparison = quarter_faster();
  EXPECT_THAT(not_better_text(comparison, against_old()), HasSubstr("a gain of 2 % is excluded"));
  comparison.guard_failures = {"workload one is slower", "workload two too"};
  EXPECT_EQ(not_better_text(comparison, against_old()), "workload one is slower");
}

TEST(Wording, TwoClocksThatDisagreeAreToldApart) {
  const std::string unconfirmed = unconfirmed_text(quarter_faster(), against_old());
  const std::string contradicted = contradicted_text(quarter_faster(), against_old());
  EXPECT_THAT(unconfirmed, AllOf(HasSubstr("not surely see half"), HasSubstr("larger workloads or a quieter machine")));
  EXPECT_THAT(contradicted, AllOf(HasSubstr("less than half of that saving"), HasSubstr("does not show")));
}

TEST(Wording, AnUndecidedComparisonSaysWhetherItGaveUp) {
  task::Comparison comparison = quarter_faster();
  EXPECT_THAT(undecided_text(comparison, against_old()),
              AllOf(HasSubstr("it is improbable that more pairs would tell"), HasSubstr("exceeds 2 %")));
  comparison.pairs = 8;
  EXPECT_THAT(undecided_text(comparison, against_old()),
              AllOf(HasSubstr("this many pairs cannot tell"), Not(HasSubstr("improbable"))));
}

TEST(Wording, ACorrectCandidateThatIsTimedAloneSaysWhatWasChecked) {
  task::Evaluation evaluation;
  evaluation.clean_on_workloads = {9, 3};
  task::EvaluationRequest request;
  request.workloads.resize(2);
  request.workloads[1].uuid = "901e5104-dccb";
  request.workloads[1].axes = {{"rows", 4}};
  EXPECT_THAT(correct_text(evaluation, request),
              AllOf(HasSubstr("0 failures in 12 trials; failure rate below"),
                    HasSubstr("weakest stratum workload 901e5104: rows 4: 3 trials, below 63 %; timed alone")));
  evaluation.clean_on_workloads.clear();
  EXPECT_THAT(correct_text(evaluation, request), HasSubstr("nothing is known of its failure rate"));
}

class NoiseFindingTest : public ::testing::Test {
 protected:
  NoiseFindingTest() {
    task::SelfComparison self;
    self.pairs = 5;
    self.log_ratio = std::log(0.5);
    self.log_ratio_lower = std::log(0.4);
    self.log_ratio_upper = std::log(0.8);
    comparison_.aa = self;
  }
  task::Comparison comparison_ = quarter_faster();
};

TEST_F(NoiseFindingTest, OfWhatIsAboveTheNoiseOrWasNotAskedThereIsNone) {
  EXPECT_FALSE(noise_finding(stats::Standing::above_noise, comparison_, against_old()));
  comparison_.aa.reset();
  EXPECT_FALSE(noise_finding(stats::Standing::void_session, comparison_, against_old()));
  EXPECT_FALSE(noise_finding(stats::Standing::inside_noise, comparison_, against_old()));
}

TEST_F(NoiseFindingTest, AVoidSessionShowsWhatTheCopyCameOutAt) {
  const auto finding = noise_finding(stats::Standing::void_session, comparison_, against_old());
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, "void_session");
  EXPECT_THAT(finding->message,
              AllOf(HasSubstr("'old' against a copy of itself"), HasSubstr("2.000x (1.250 to 2.500, 5 process pairs)"),
                    HasSubstr("than the 2 % that count"), Not(HasSubstr("1.250x as fast"))));
}

TEST_F(NoiseFindingTest, AGainInsideTheNoiseShowsBoth) {
  const auto finding = noise_finding(stats::Standing::inside_noise, comparison_, against_old());
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, "inside_noise");
  EXPECT_THAT(finding->message, AllOf(HasSubstr("1.250x as fast as 'old'"), HasSubstr("4 process pairs"),
                                      HasSubstr("2.000x (1.250 to 2.500, 5 process pairs)")));
}

TEST(WordingOfWorkloads, AxesAndTheFirstOfTheUuid) {
  task::Workload workload;
  workload.uuid = "901e5104-aaaa-bbbb";
  EXPECT_EQ(axes_text(workload), "");
  workload.axes = {{"batch_size", 1}};
  EXPECT_EQ(axes_text(workload), "batch_size 1");
  workload.axes.emplace_back("seq_len", 4096);
  EXPECT_EQ(axes_text(workload), "batch_size 1 seq_len 4096");
  EXPECT_EQ(describe(workload), "901e5104: batch_size 1 seq_len 4096");
  workload.uuid = "w";
  EXPECT_EQ(describe(workload), "w: batch_size 1 seq_len 4096");
}

TEST(CallFindings, HaveTheirWordsAndNamesNeitherSideNorWorkload) {
  struct Case {
    task::Finding finding;
    const char* kind;
    const char* words;
  };
  for (const Case& one : {Case{input_written(), "input_written", "mapped read-only"},
                          Case{nondeterministic(), "nondeterministic", "other bits the second time"},
                          Case{memory_taken(), "memory_taken", "no memory left for the judge"},
                          Case{evaluate::device_error(700, 0), "device_error", "700"}}) {
    EXPECT_EQ(one.finding.kind, one.kind);
    EXPECT_THAT(one.finding.message, HasSubstr(one.words));
    EXPECT_FALSE(one.finding.workload) << one.kind;
    EXPECT_FALSE(one.finding.tensor) << one.kind;
    EXPECT_FALSE(one.finding.index) << one.kind;
  }
}

TEST(CallFindings, ALateWriteNamesItsElement) {
  const verify::Place place{"new_state", tensor::DType::float32, {3, 4, 5}, 4096, 240};
  verify::SampledContent::Change change{};
  change.place = &place;
  change.flat = 1 * 20 + 2 * 5 + 4;
  const task::Finding finding = late_write(change);
  EXPECT_EQ(finding.kind, "late_write");
  EXPECT_EQ(finding.tensor, "new_state");
  EXPECT_EQ(finding.index, (std::vector<std::int64_t>{1, 2, 4}));
  EXPECT_THAT(finding.message, HasSubstr("new_state[1, 2, 4] changed after its call had returned"));
}

}  // namespace
}  // namespace assay::evaluate
