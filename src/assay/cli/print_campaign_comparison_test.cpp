#include <assay/cli/print_campaign_comparison.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

report::CampaignComparison comparison() {
  report::CampaignComparison one;
  one.axis = "dollars spent by agents";
  one.statement = "Not decidable: they are not apart.";
  one.sentences = {"Both had the same budget: $1.00."};
  one.first.name = "assisted";
  one.first.judged = 4;
  one.first.invalid = 1;
  one.first.confirmed = report::Ratio{1.5, 1.4, 1.6};
  one.first.spent = {{"dollars", "$0.90", "of $1.00"}};
  one.first.promotions = {{2, "fast\x1b[2J", 75, 0.4, "$0.40", 1.52, true}};
  one.second.name = "roles";
  return one;
}

TEST(PrintCampaignComparison, BeginsWithTheStatementAndShowsBoth) {
  const std::string text = print_campaign_comparison(comparison(), "", report::Colour::off);
  EXPECT_THAT(text, StartsWith("Not decidable: they are not apart.\n  Both had the same budget: $1.00.\n"));
  EXPECT_THAT(text, HasSubstr("1.50× [1.40, 1.60]"));
  EXPECT_THAT(text, HasSubstr("not confirmed"));
  EXPECT_THAT(text, HasSubstr("1 of 4 (25 %)"));
  EXPECT_THAT(text, HasSubstr("$0.90 (of $1.00)"));
  EXPECT_THAT(text, HasSubstr("nothing that is booked"));
  EXPECT_THAT(text, HasSubstr("promotions of roles: none"));
  EXPECT_THAT(text, Not(HasSubstr("page:")));
}

TEST(PrintCampaignComparison, ShowsEachPromotionAndWhatWasTakenBack) {
  const std::string text = print_campaign_comparison(comparison(), "c.html", report::Colour::off);
  EXPECT_THAT(text, HasSubstr("1 min 15 s"));
  EXPECT_THAT(text, HasSubstr("1.520x"));
  EXPECT_THAT(text, HasSubstr("(demoted later)"));
  EXPECT_THAT(text, HasSubstr("page: c.html"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace assay::cli
