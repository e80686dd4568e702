#include <assay/plot/speedup_chart.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include <assay/plot/testing.hpp>

namespace assay::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::occurrences;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

SpeedupPoint measured(int number, SpeedupEstimate speedup, bool promoted = false) {
  return {.number = number,
          .tooltip = "candidate " + std::to_string(number),
          .link = "#candidate-" + std::to_string(number),
          .speedup = speedup,
          .row = 0,
          .promoted = promoted};
}

SpeedupPoint failed(int number, std::size_t row) {
  return {.number = number, .tooltip = "failed", .link = "", .speedup = {}, .row = row, .promoted = false};
}

SpeedupChart sample_speedups() {
  return {.id = "speedup",
          .title = "Speedup by candidate",
          .baseline = "plain",
          .rows = {{"duplicate", SpeedupRow::Kind::neutral},
                   {"not built", SpeedupRow::Kind::failure},
                   {"crashed", SpeedupRow::Kind::failure}},
          .points = {failed(1, 1), measured(2, {0.8, 0.7, 0.95}), measured(3, {1.6, 1.5, 1.7}, true), failed(4, 2),
                     measured(5, {1.65, 1.2, 2.3}), measured(6, {2.4, 2.3, 2.5}, true), failed(7, 0)},
          .style = Style::embedded};
}

TEST(SpeedupChart, MatchesItsGoldenFile) {
  const std::string svg = draw(sample_speedups());
  EXPECT_EQ(testing::markup_problem(svg), "");
  testing::expect_golden(svg, "speedup_chart.svg");
}

TEST(SpeedupChart, DescribesItselfInWords) {
  const std::string svg = draw(sample_speedups());
  EXPECT_THAT(svg, HasSubstr("7 candidates, 4 of them measured. duplicate: 1. not built: 1. crashed: 1. Promoted: "
                             "candidate 3 at 1.60×, candidate 6 at 2.40×."));
}

TEST(SpeedupChart, DrawsEveryCandidateOnce) {
  const std::string svg = draw(sample_speedups());
  EXPECT_EQ(occurrences(svg, "class=\"ap-won-bar\""), 2);
  EXPECT_EQ(occurrences(svg, "class=\"ap-kept-bar\""), 2);
  EXPECT_EQ(occurrences(svg, "class=\"ap-failed\""), 2);
  EXPECT_EQ(occurrences(svg, "class=\"ap-neutral\""), 1);
  EXPECT_EQ(occurrences(svg, "<a href=\"#candidate-"), 4);
}

TEST(SpeedupChart, StepLineEndsAtTheIncumbent) {
  SpeedupChart chart = sample_speedups();
  EXPECT_THAT(draw(chart), HasSubstr(">2.40×</text>"));
  chart.points.resize(3);
  EXPECT_THAT(draw(chart), HasSubstr(">1.60×</text>"));
  chart.points.resize(2);
  EXPECT_THAT(draw(chart), HasSubstr(">1.00×</text>"));
  EXPECT_THAT(draw(chart), HasSubstr("The baseline was kept."));
}

// Returns the number after `key` in the first circle of the class.
double circle_attribute(const std::string& svg, const std::string& tooltip, const std::string& key) {
  const std::size_t group = svg.find("<title>" + tooltip + "</title>");
  const std::size_t at = svg.find(" " + key + "=\"", svg.find("<circle", group));
  return std::stod(svg.substr(at + key.size() + 3));
}

TEST(SpeedupChart, HalfAndTwiceAsFastAreEquallyFarFromTheBaseline) {
  SpeedupChart chart = sample_speedups();
  chart.points = {measured(1, {0.5, 0.5, 0.5}), measured(2, {1, 1, 1}), measured(3, {2, 2, 2})};
  const std::string svg = draw(chart);
  const double half = circle_attribute(svg, "candidate 1", "cy");
  const double same = circle_attribute(svg, "candidate 2", "cy");
  const double twice = circle_attribute(svg, "candidate 3", "cy");
  EXPECT_GT(half, same) << "slower is lower on the page";
  EXPECT_NEAR(half - same, same - twice, 0.02);
}

TEST(SpeedupChart, CandidatesStandInTheirOrder) {
  const std::string svg = draw(sample_speedups());
  EXPECT_LT(circle_attribute(svg, "candidate 2", "cx"), circle_attribute(svg, "candidate 3", "cx"));
  EXPECT_LT(circle_attribute(svg, "candidate 5", "cx"), circle_attribute(svg, "candidate 6", "cx"));
}

TEST(SpeedupChart, WhatASupervisorSawStandsBelowTheRows) {
  SpeedupChart chart = sample_speedups();
  EXPECT_THAT(draw(chart), ::testing::Not(::testing::HasSubstr(">supervisor<")));
  chart.spans = {{2, 5, "plateau", "why", "#supervisor", Tone::doubt, true}};
  const std::string svg = draw(chart);
  EXPECT_THAT(svg, ::testing::HasSubstr(">supervisor<"));
  EXPECT_THAT(svg, ::testing::HasSubstr("href=\"#supervisor\""));
  EXPECT_THAT(svg, ::testing::HasSubstr("class=\"ap-shade\""));
}

TEST(SpeedupChart, NumbersNeedNotBeginAtOne) {
  SpeedupChart chart = sample_speedups();
  chart.points = {measured(101, {1.2, 1.1, 1.3}), measured(120, {1.3, 1.2, 1.4})};
  const std::string svg = draw(chart);
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr(">110</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">10</text>")));
}

TEST(SpeedupChart, AnEndlessIntervalIsCutAtTheEdge) {
  SpeedupChart chart = sample_speedups();
  const std::string before = draw(chart);
  chart.points[1].speedup = {0.8, 0, kInfinity};
  const std::string svg = draw(chart);
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  // The estimates 0.8 to 2.4 still spread over most of the 250 units: a quarter of room on each side at most.
  const double spread = circle_attribute(svg, "candidate 2", "cy") - circle_attribute(svg, "candidate 6", "cy");
  EXPECT_GT(spread, 250 / 1.5 - 1);
  EXPECT_LT(spread, circle_attribute(before, "candidate 2", "cy") - circle_attribute(before, "candidate 6", "cy"));
}

TEST(SpeedupChart, WorksWithNothingOneAndMany) {
  SpeedupChart chart{.id = "empty", .title = "t", .baseline = "b", .rows = {}, .points = {}, .style = Style::from_page};
  EXPECT_EQ(testing::markup_problem(draw(chart)), "");
  chart.points = {measured(1, {1, 1, 1})};
  EXPECT_EQ(testing::markup_problem(draw(chart)), "");
  chart.points.clear();
  for (int i = 1; i <= 2000; ++i) {
    chart.points.push_back(measured(i, {1 + i / 1000.0, 1, 4}));
  }
  const std::string svg = draw(chart);
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"ap-kept-bar\""), 2000);
}

TEST(SpeedupChart, EscapesUntrustedText) {
  SpeedupChart chart = sample_speedups();
  chart.points[0].tooltip = "<script>1</script>";
  chart.baseline = "</svg>";
  chart.rows[0].name = "a<b";
  const std::string svg = draw(chart);
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(SpeedupChartDeathTest, RefusesImpossibleData) {
  SpeedupChart chart = sample_speedups();
  chart.points[1].speedup->estimate = 0;
  EXPECT_DEATH(static_cast<void>(draw(chart)), "estimate > 0");
  chart = sample_speedups();
  chart.points[0].row = 9;
  EXPECT_DEATH(static_cast<void>(draw(chart)), "rows.size");
}

}  // namespace
}  // namespace assay::plot
