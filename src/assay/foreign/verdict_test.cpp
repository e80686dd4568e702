#include <assay/foreign/verdict.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/foreign/archive_testing.hpp>

namespace assay::foreign {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An archive whose noise is known: pairs of one code in a trace of their own, each 5 % apart, so that the band is
// 1.96 * 0.05; and one promotion in another trace, which a test shapes.
class VerdictTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int pair = 0; pair < 4; ++pair) {
      const std::string code = "repeated " + std::to_string(pair);
      archive_.evaluations.push_back(stored_success("noise", 2 * pair, code, 1));
      archive_.evaluations.push_back(
          stored_success("noise", 2 * pair + 1, code, std::exp(pair % 2 == 0 ? 0.05 : -0.05)));
    }
    archive_.evaluations.push_back(stored_success("t", 1, "old", 1));
    archive_.evaluations.push_back(stored_success("t", 2, "new", 0.8));
    archive_.promotions = {{"t#1", "t", 1, 8, 9}};
  }
  Evaluation& before() { return archive_.evaluations[8]; }
  Evaluation& after() { return archive_.evaluations[9]; }
  [[nodiscard]] PromotionAudit judged() const { return PromotionJudge(archive_).judge(archive_.promotions.front()); }

  TraceArchive archive_;
};

TEST_F(VerdictTest, TheNoiseIsThatOfStoredPairs) {
  const ComparisonNoise noise = comparison_noise(archive_);
  EXPECT_EQ(noise.source, ComparisonNoise::Source::stored_pairs);
  EXPECT_EQ(noise.pairs, 4);
  EXPECT_NEAR(noise.band, 1.96 * 0.05, 1e-12);
  EXPECT_LT(noise.band_interval.lower, noise.band);
  EXPECT_GT(noise.band_interval.upper, noise.band);
}

TEST_F(VerdictTest, AGainBeyondTheNoiseIsPlausible) {
  EXPECT_EQ(judged().verdict, Verdict::plausible);
  EXPECT_THAT(judged().reasons, IsEmpty());
}

TEST_F(VerdictTest, TheSameCodeIsIdenticalWhateverTheNumbersSay) {
  after().source = before().source;
  after().normalised = before().normalised;
  after().reference_latency_ms = 25;
  EXPECT_EQ(judged().verdict, Verdict::identical);
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::identical_source, Reason::environment_shift));
  after().source = base::sha256(std::string_view("with a comment"));
  EXPECT_EQ(judged().verdict, Verdict::identical);
  EXPECT_EQ(judged().identity, Identity::normalised_source);
}

TEST_F(VerdictTest, AnotherEnvironmentComesBeforeWorse) {
  after().reference_latency_ms = 20.1;
  after().latency_ms = 1.5;
  EXPECT_EQ(judged().verdict, Verdict::environment_shift);
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::environment_shift, Reason::latency_raising));
  after().reference_latency_ms = 4.9;
  EXPECT_EQ(judged().verdict, Verdict::environment_shift);
  after().reference_latency_ms = 19.9;
  EXPECT_EQ(judged().verdict, Verdict::worse);
}

TEST_F(VerdictTest, WorseComesBeforeIndistinguishable) {
  after().latency_ms = 1.01;
  EXPECT_EQ(judged().verdict, Verdict::worse);
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::latency_raising, Reason::indistinguishable));
}

TEST_F(VerdictTest, TheBandDecides) {
  after().latency_ms = std::exp(-1.96 * 0.05 + 1e-6);
  EXPECT_EQ(judged().verdict, Verdict::indistinguishable);
  after().latency_ms = std::exp(-1.96 * 0.05 - 1e-6);
  EXPECT_EQ(judged().verdict, Verdict::plausible);
}

TEST_F(VerdictTest, TheNoiseOfItsOwnTraceIsReportedAndDecidesNothing) {
  archive_.evaluations.push_back(stored_success("t", 3, "repeated in t", 1));
  archive_.evaluations.push_back(stored_success("t", 4, "repeated in t", 1.5));
  archive_.evaluations[10].solution = archive_.evaluations[11].solution = std::nullopt;  // Not a pair of stored ones.
  EXPECT_EQ(judged().verdict, Verdict::plausible);
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::indistinguishable_by_trace_noise));
}

TEST_F(VerdictTest, WithoutStoredPairsAllRepeatsCountAndWithoutRepeatsNothingIsKnown) {
  for (int i = 0; i < 8; ++i) {
    archive_.evaluations[static_cast<std::size_t>(i)].solution = std::nullopt;
  }
  EXPECT_EQ(comparison_noise(archive_).source, ComparisonNoise::Source::all_repeats);
  EXPECT_NEAR(comparison_noise(archive_).band, 1.96 * 0.05, 1e-12);
  for (int i = 0; i < 8; ++i) {
    archive_.evaluations[static_cast<std::size_t>(i)].normalised = base::sha256(std::to_string(i));
  }
  after().latency_ms = 0.999;
  EXPECT_EQ(judged().verdict, Verdict::plausible);
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::noise_unknown));
}

TEST_F(VerdictTest, RepeatsAcrossAnEnvironmentShiftAreNoNoise) {
  archive_.evaluations[1].reference_latency_ms = 100;
  archive_.evaluations[1].latency_ms = 9;
  EXPECT_EQ(comparison_noise(archive_).pairs, 3);
  EXPECT_NEAR(comparison_noise(archive_).band, 1.96 * 0.05, 1e-12);
}

TEST_F(VerdictTest, AProfilerThatStoppedWorkingMakesTheEnvironmentSuspect) {
  before().profile = Profile{true, ""};
  after().controller_run = 2;
  after().profile = Profile{false, "LibraryNotLoaded"};
  EXPECT_EQ(judged().verdict, Verdict::suspect_environment);
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::environment_suspect));
  // It is the whole run that counts: one profile that failed is an accident.
  archive_.evaluations.push_back(stored_success("t", 5, "other", 1));
  archive_.evaluations.back().controller_run = 2;
  archive_.evaluations.back().profile = Profile{true, ""};
  EXPECT_EQ(judged().verdict, Verdict::plausible);
}

TEST_F(VerdictTest, IndistinguishableComesBeforeSuspect) {
  before().profile = Profile{true, ""};
  after().controller_run = 2;
  after().latency_ms = 0.99;
  EXPECT_EQ(judged().verdict, Verdict::indistinguishable);
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::indistinguishable, Reason::environment_suspect));
}

TEST_F(VerdictTest, AnotherEvaluatorOrAnotherSetOfWorkloadsIsSuspect) {
  after().evaluator = base::sha256(std::string_view("another"));
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::evaluator_changed));
  EXPECT_EQ(judged().verdict, Verdict::suspect_environment);
  after().evaluator = std::nullopt;  // Not recorded is not another.
  EXPECT_EQ(judged().verdict, Verdict::plausible);
  after().workloads = 3;
  EXPECT_THAT(judged().reasons, ElementsAre(Reason::workloads_differ));
}

TEST_F(VerdictTest, SaysHowFarTheWeightsMayShiftWhereBothSidesHaveTheirWorkloads) {
  EXPECT_FALSE(judged().weights);
  before().per_workload = {{"a", {}, 1.0}, {"b", {}, 1.0}, {"c", {}, 1.0}};
  after().per_workload = {{"c", {}, 1.2}, {"a", {}, 0.6}, {"b", {}, 0.9}};
  // Differences -0.4, -0.1 and 0.2, of which the mean is -0.1: 1/6 of the weight must move from a to c.
  ASSERT_TRUE(judged().weights);
  EXPECT_NEAR(*judged().weights->moved_share, 1.0 / 6, 1e-12);
  after().per_workload[0].uuid = "d";  // Not the same workloads.
  EXPECT_FALSE(judged().weights);
}

}  // namespace
}  // namespace assay::foreign
