#include <assay/report/comparison.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/plot/testing.hpp>

namespace assay::report {
namespace {

using plot::testing::markup_problem;
using plot::testing::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

CampaignComparison sample() {
  CampaignComparison one;
  one.definition = "gdn_decode_qk4_v8_d128_k_last";
  one.device = "cpu";
  one.baseline = "gdn_decode_plain_cpu";
  one.axis = "dollars spent by agents";
  one.equal_budgets = true;
  one.decided = true;
  one.statement = "Decided: roles ended faster. 1.92× [1.88, 1.96] lies wholly above 1.61× [1.57, 1.65].";
  one.sentences = {
      "Both had the same budget: $10.00.",
      "Each is one campaign: this says which of the two ended faster, not which way of working is better."};
  one.first = {
      "assisted", "one agent: claude",    "finished", 8, 8, 1, 7, 2, {}, {{"dollars", "$9.31", "of $10.00"}}, 9.31,
      5025,       Ratio{1.61, 1.57, 1.65}};
  one.first.promotions = {{2, "assisted-run-2", 610, 2.2, "$2.20, 41,200 tokens", 1.22, false},
                          {5, "assisted-run-5", 3120, 6.05, "$3.85, 60,000 tokens", 1.64, false}};
  one.second = {"roles",
                "full agent: codex plans, claude carries out, claude summarises",
                "finished",
                14,
                6,
                0,
                6,
                3,
                {},
                {{"dollars", "$8.90", "of $10.00"}, {"tokens", "301,000 tokens", "no limit"}},
                8.9,
                4410,
                Ratio{1.92, 1.88, 1.96}};
  one.second.promotions = {{1, "roles-run-3", 900, 2.9, "$2.90", 1.05, false},
                           {3, "roles-run-8", 2210, 5.4, "$2.50", 1.71, false},
                           {4, "roles-run-9", 2805, 6.3, "$0.90", 1.95, false}};
  one.generated = "2026-11-30T12:00:00Z";
  one.version = "1.2.3";
  return one;
}

TEST(ComparisonPage, MatchesItsGoldenFile) {
  EXPECT_EQ(markup_problem(render_comparison(sample())), "");
  plot::testing::expect_golden(render_comparison(sample()), "campaign_comparison.html");
}

TEST(ComparisonPage, TellsTheDecisionFirstAndBothSides) {
  const std::string page = render_comparison(sample());
  EXPECT_LT(page.find("Decided: roles ended faster"), page.find("<figure>"));
  EXPECT_THAT(page, HasSubstr("<td>1.61× [1.57, 1.65]</td><td>1.92× [1.88, 1.96]</td>"));
  EXPECT_THAT(page, HasSubstr("<td>2 of 7 (29 %)</td><td>3 of 6 (50 %)</td>"));
  EXPECT_THAT(page, HasSubstr("<td>$9.31 (of $10.00)</td><td>$8.90 (of $10.00)</td>"));
  EXPECT_THAT(page, HasSubstr("<td>none</td><td>301,000 tokens (no limit)</td>"));
  EXPECT_THAT(page, HasSubstr("1 h 23 min"));
  EXPECT_EQ(occurrences(page, "demoted later"), 0);
}

TEST(ComparisonPage, ShowsWhatWasTakenBackAndWhatIsNotConfirmed) {
  CampaignComparison one = sample();
  one.first.promotions[1].demoted = true;
  one.first.confirmed.reset();
  one.second.promotions.clear();
  one.second.judged = 0;
  const std::string page = render_comparison(one);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, HasSubstr("<span class=\"slower\">demoted later</span>"));
  EXPECT_THAT(page, HasSubstr("<td>not confirmed</td>"));
  EXPECT_THAT(page, HasSubstr("Nothing was promoted."));
  EXPECT_THAT(page, HasSubstr("none judged"));
}

TEST(ComparisonPage, EscapesEveryTextOfCandidates) {
  CampaignComparison one = sample();
  const std::string hostile = "<script>alert(\"x\")</script>\x1b";
  one.first.promotions[0].name = hostile;
  one.first.mode = hostile;
  one.first.spent[0].spent = hostile;
  one.second.name = hostile;
  one.statement = hostile;
  one.sentences = {hostile};
  const std::string page = render_comparison(one);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
}

TEST(ComparisonPage, EmptyOnesAreWellFormed) { EXPECT_EQ(markup_problem(render_comparison({})), ""); }

TEST(ElapsedText, ReadsAsPeopleSayIt) {
  EXPECT_EQ(elapsed_text(0), "0 s");
  EXPECT_EQ(elapsed_text(59), "59 s");
  EXPECT_EQ(elapsed_text(245), "4 min 05 s");
  EXPECT_EQ(elapsed_text(7380), "2 h 03 min");
}

}  // namespace
}  // namespace assay::report
