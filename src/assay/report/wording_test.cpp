#include <assay/report/wording.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include <assay/report/sample_testing.hpp>

namespace assay::report {
namespace {

TEST(Safe, EscapesMarkupAndControlCharacters) {
  EXPECT_EQ(safe("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(safe("a\x1b[31mb\xff"), "a\uFFFD[31mb\uFFFD");
}

TEST(WithInterval, LeavesOutBoundsThatAreNotKnown) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(with_interval({1.842, 1.79, 1.904}), "1.84× [1.79, 1.90]");
  EXPECT_EQ(with_interval({1.842, 0, infinity}), "1.84×");
  EXPECT_EQ(with_interval({1.842, 1.2, infinity}), "1.84×");
}

TEST(ResampledText, SaysWhatItIsOver) {
  EXPECT_EQ(resampled_text({{1.842, 1.79, 1.904}, 0.99, 1, 12}),
            "1.84× [1.79, 1.90] (99 %, resampled over 1 session and 12 process pairs)");
  EXPECT_EQ(resampled_text({{1.842, 1.79, 1.904}, 0.95, 2, 1}),
            "1.84× [1.79, 1.90] (95 %, resampled over 2 sessions and 1 process pair)");
}

TEST(TimeOrMissing, NamesTheHole) {
  EXPECT_EQ(time_or_missing(41'300.4), "41.3 µs");
  EXPECT_EQ(time_or_missing({}), "missing");
  EXPECT_EQ(time_or_missing(0), "missing");
  EXPECT_EQ(time_or_missing(std::numeric_limits<double>::quiet_NaN()), "missing");
}

TEST(PairsText, JoinsNamesAndValues) {
  EXPECT_EQ(pairs_text({}), "");
  EXPECT_EQ(pairs_text({{"batch_size", 4}, {"heads", 8}}), "batch_size=4, heads=8");
}

TEST(Counted, AgreesInNumber) {
  EXPECT_EQ(counted(1, "pair"), "1 pair");
  EXPECT_EQ(counted(0, "pair"), "0 pairs");
  EXPECT_EQ(counted(12, "pair"), "12 pairs");
}

TEST(OutcomesText, ListsWhatOccurs) {
  EXPECT_EQ(outcomes_text({}), "");
  EXPECT_THAT(outcomes_text(testing::sample_report()),
              ::testing::StartsWith("2 duplicate, 1 not built, 1 crashed, 1 timed out, 2 incorrect, 1 suspect, "));
}

TEST(Family, SetsFailuresApart) {
  for (const task::Outcome outcome : task::all_outcomes()) {
    const bool nothing_run = outcome == task::Outcome::duplicate || outcome == task::Outcome::built;
    EXPECT_EQ(family(outcome) == OutcomeFamily::failure, !task::is_correct(outcome) && !nothing_run) << words(outcome);
    EXPECT_EQ(family(outcome) == OutcomeFamily::neutral, nothing_run) << words(outcome);
  }
  EXPECT_EQ(family(task::Outcome::better), OutcomeFamily::gain);
}

}  // namespace
}  // namespace assay::report
