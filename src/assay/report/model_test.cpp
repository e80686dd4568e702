#include <assay/report/model.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include <assay/report/sample_testing.hpp>

namespace assay::report {
namespace {

using task::Outcome;

TEST(CountOutcomes, CountsInTheirOrderAndLeavesOutTheOthers) {
  CampaignReport report;
  for (const auto outcome : {Outcome::better, Outcome::crashed, Outcome::not_built, Outcome::crashed}) {
    report.candidates.emplace_back().outcome = outcome;
  }
  report.candidates.emplace_back();
  const auto counts = count_outcomes(report);
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].outcome, Outcome::not_built);
  EXPECT_EQ(counts[1].outcome, Outcome::crashed);
  EXPECT_EQ(counts[1].count, 2);
  EXPECT_EQ(counts[2].outcome, Outcome::better);
}

TEST(CountOutcomes, IsEmptyBeforeAnyVerdict) { EXPECT_TRUE(count_outcomes({}).empty()); }

TEST(TrustedSpeedup, IsShownForCorrectOutcomesOnly) {
  for (const Outcome outcome : task::all_outcomes()) {
    CandidateRow row;
    row.outcome = outcome;
    row.speedup = Ratio{9, 8, 10};
    EXPECT_EQ(trusted_speedup(row).has_value(), task::is_correct(outcome)) << words(outcome);
  }
  CandidateRow unjudged;
  unjudged.speedup = Ratio{9, 8, 10};
  EXPECT_FALSE(trusted_speedup(unjudged).has_value());
}

TEST(TrustedSpeedup, MustBeANumber) {
  CandidateRow row;
  row.outcome = Outcome::better;
  for (const double broken :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    row.speedup = Ratio{broken, 1, 1};
    EXPECT_FALSE(trusted_speedup(row).has_value()) << broken;
  }
}

TEST(Words, AreForPeople) {
  EXPECT_EQ(words(Outcome::timed_out), "timed out");
  EXPECT_EQ(words(Outcome::better), "better");
}

}  // namespace
}  // namespace assay::report
