#include <assay/plot/rate_chart.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/plot/testing.hpp>

namespace assay::plot {
namespace {

using ::testing::HasSubstr;
using testing::markup_problem;
using testing::occurrences;

RateChart chart_of_two() {
  RateChart chart;
  chart.id = "rates";
  chart.title = "Rules & their errors";
  chart.panels = {{"promoted in error", 0.05, "at most 5 %", RatePanel::Wanted::below},
                  {"found", 0.95, "at least 95 %", RatePanel::Wanted::above}};
  chart.rows = {{"greedy", "one timing <each>", {{0.48, 0.47, 0.49}, {0.7, 0.68, 0.72}}},
                {"evidence", "", {{0.0004, 0.0001, 0.001}, {0.97, 0.96, 0.98}}}};
  return chart;
}

TEST(RateChart, IsWellFormedAndSaysItsNumbers) {
  const std::string svg = draw(chart_of_two());
  EXPECT_EQ(markup_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("promoted in error (wanted: at most 5 %): greedy 48 %, evidence 0.04 %."));
  EXPECT_THAT(svg, HasSubstr("one timing &lt;each&gt;"));
  EXPECT_THAT(svg, HasSubstr("evidence: 97 %, between 96 % and 98 % with 95 % confidence"));
}

TEST(RateChart, MarksWhatMissesTheLimitOnEitherSide) {
  RateChart chart = chart_of_two();
  EXPECT_EQ(occurrences(draw(chart), "class=\"ap-lost\""), 2) << "greedy errs too often and finds too little";
  EXPECT_EQ(occurrences(draw(chart), "class=\"ap-failed\""), 2) << "meaning is never in the colour alone";
  chart.panels[0].limit.reset();
  EXPECT_EQ(occurrences(draw(chart), "class=\"ap-lost\""), 1);
  EXPECT_EQ(occurrences(draw(chart), "wanted: "), 2) << "one in words, one in the picture";
}

TEST(RateChartDeathTest, RefusesRowsThatDoNotFit) {
  RateChart chart = chart_of_two();
  chart.rows[0].rates.pop_back();
  EXPECT_DEATH(static_cast<void>(draw(chart)), "rates.size");
  EXPECT_DEATH(static_cast<void>(draw(RateChart{})), "panels.empty");
}

}  // namespace
}  // namespace assay::plot
