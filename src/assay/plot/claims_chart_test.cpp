#include <assay/plot/claims_chart.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/plot/share_bars.hpp>
#include <assay/plot/testing.hpp>

namespace assay::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::occurrences;

ClaimsChart sample_claims() {
  return {
      .id = "claims",
      .title = "Claims",
      .kinds = {{"slower", 1, Tone::bad}, {"inside the noise", 3, Tone::faint}, {"plausible", 5, Tone::good}},
      .band = 0.09,
      .band_name = "noise",
      .own_band_name = "own noise",
      .rows = {{"first", 0.02, {{-0.05, 1, "1", "one", "#a"}, {-0.052, 1, "2", "two", ""}, {-2.3, 2, "3", "far", ""}}},
               {"second", std::nullopt, {{0.04, 0, "1", "slow", ""}}}},
      .style = Style::embedded};
}

TEST(ClaimsChart, DrawsEveryClaimAndTheBand) {
  const std::string svg = draw(sample_claims());
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"ap-noise\""), 1);
  EXPECT_EQ(occurrences(svg, "class=\"ap-own-band\""), 1);
  for (const char* tooltip : {"one", "two", "far", "slow"}) {
    EXPECT_EQ(occurrences(svg, std::string("<title>") + tooltip + "</title>"), 1) << tooltip;
  }
  EXPECT_THAT(svg, HasSubstr("<a href=\"#a\">"));
  EXPECT_THAT(svg, HasSubstr("4 claimed changes in 2 rows; 3 of them lie inside the band"));
}

TEST(ClaimsChart, WritesTheValueOfWhatLiesBeyondTheEdge) { EXPECT_THAT(draw(sample_claims()), HasSubstr("3 (−90 %)")); }

TEST(ClaimsChart, MarksThatWouldTouchAreStacked) {
  ClaimsChart chart = sample_claims();
  const std::string stacked = draw(chart);
  chart.rows[0].claims[1].log_ratio = -0.25;
  EXPECT_GT(stacked.size(), 0U);
  const auto height = [](const std::string& svg) {
    const std::size_t at = svg.find("height=\"") + 8;
    return std::stod(svg.substr(at, svg.find('"', at) - at));
  };
  EXPECT_GT(height(stacked), height(draw(chart)));
}

TEST(ClaimsChart, WithoutNoiseThereIsNoBand) {
  ClaimsChart chart = sample_claims();
  chart.band.reset();
  EXPECT_THAT(draw(chart), Not(HasSubstr("ap-noise\"")));
  chart.rows.clear();
  EXPECT_EQ(testing::markup_problem(draw(chart)), "");
}

TEST(ShareBars, DividesABarAsItsCountsAre) {
  const ShareBars bars{.id = "bars",
                       .title = "Shares",
                       .parts = {{"good", Tone::good}, {"bad", Tone::bad}, {"none", Tone::faint}},
                       .bars = {{"a", {3, 1, 0}}, {"b", {0, 0, 0}}},
                       .style = Style::embedded};
  const std::string svg = draw(bars);
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("width=\"540\" height=\"22\" class=\"ap-tone-good\""));
  EXPECT_THAT(svg, HasSubstr("width=\"180\" height=\"22\" class=\"ap-tone-bad\""));
  EXPECT_THAT(svg, HasSubstr("<title>a: 3 good</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("0 none</title>")));
  EXPECT_THAT(svg, HasSubstr("a: 3 good, 1 bad, 0 none. b: 0 good"));
}

}  // namespace
}  // namespace assay::plot
