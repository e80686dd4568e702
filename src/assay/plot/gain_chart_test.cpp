#include <assay/plot/gain_chart.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/plot/testing.hpp>

namespace assay::plot {
namespace {

using ::testing::HasSubstr;
using testing::markup_problem;
using ::testing::Not;
using testing::occurrences;

GainChart two() {
  return {
      "gain",
      "Speedup against spend",
      "dollars spent",
      {{"assisted", {{1, 1.2, "1", "candidate 1"}, {3, 1.5, "4", "candidate 4"}}, 5, SpeedupEstimate{1.45, 1.4, 1.5}},
       {"roles", {{2, 1.8, "2", "candidate 2"}}, 4, std::nullopt}}};
}

TEST(GainChart, IsWellFormedAndSaysWhatItShows) {
  const std::string picture = draw(two());
  EXPECT_EQ(markup_problem(picture), "");
  EXPECT_THAT(picture, HasSubstr("assisted: 1.50× after 2 promotions, 5 dollars spent. roles: 1.80× after 1 promotion, "
                                 "4 dollars spent."));
  EXPECT_THAT(picture, HasSubstr("1.45× confirmed"));
  EXPECT_THAT(picture, HasSubstr("1.80×, not confirmed"));
  EXPECT_EQ(occurrences(picture, "class=\"ap-step\""), 1);
  EXPECT_EQ(occurrences(picture, "class=\"ap-gain-other\""), 1);
  EXPECT_EQ(occurrences(picture, "class=\"ap-won-bar\""), 1) << "only what was confirmed has a bar";
  EXPECT_THAT(gain_chart_style(), HasSubstr("ap-gain-other-bar"));
}

TEST(GainChart, WithoutAPromotionItIsALineAtOne) {
  const std::string picture = draw(GainChart{"g", "t", "tokens", {{"none", {}, 0, std::nullopt}}});
  EXPECT_EQ(markup_problem(picture), "");
  EXPECT_THAT(picture, HasSubstr("none: 1.00× after 0 promotions"));
}

TEST(GainChart, EscapesWhatCampaignsAreCalled) {
  GainChart chart = two();
  chart.curves[0].name = "<script>";
  chart.curves[0].steps[0].tooltip = "\"><script>";
  EXPECT_THAT(draw(chart), Not(HasSubstr("<script")));
  EXPECT_EQ(markup_problem(draw(chart)), "");
}

}  // namespace
}  // namespace assay::plot
