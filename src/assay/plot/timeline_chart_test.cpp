#include <assay/plot/timeline_chart.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/plot/testing.hpp>

namespace assay::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::occurrences;

TimelinePoint evaluated(double latency_ns) {
  TimelinePoint point;
  point.tooltip = "measured";
  point.latency_ns = latency_ns;
  point.reference_ns = 1e6;
  return point;
}

Timeline sample_timeline() {
  Timeline timeline;
  timeline.id = "search";
  timeline.title = "The search";
  timeline.kinds = {{"slower", 1, Tone::bad}, {"plausible", 5, Tone::good}};
  timeline.rows = {{"crashed", Tone::bad}, {"no result", Tone::faint}};
  timeline.stretches = {{"run 1", 3}, {"run 2", 2}};
  timeline.points.assign(5, evaluated(1000));
  timeline.points[0].starts = true;
  timeline.points[1].latency_ns.reset();
  timeline.points[1].reference_ns.reset();
  timeline.points[2].latency_ns = 500;
  timeline.points[2].promoted = 1;
  timeline.points[2].label = "1";
  timeline.points[2].link = "#promotion-1";
  timeline.points[4].latency_ns = 550;
  timeline.points[4].promoted = 0;
  timeline.points[4].label = "2";
  timeline.band = 0.1;
  return timeline;
}

TEST(Timeline, DrawsEveryEvaluationOnce) {
  const std::string svg = draw(sample_timeline());
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"ap-kept\""), 2 + 1);  // And one in the legend.
  EXPECT_EQ(occurrences(svg, "class=\"ap-failed-thin\""), 1);
  EXPECT_EQ(occurrences(svg, "class=\"ap-dot\""), 4);
  EXPECT_EQ(occurrences(svg, "class=\"ap-tone-good\""), 1 + 1);
  EXPECT_EQ(occurrences(svg, "class=\"ap-tone-bad\""), 1 + 1);
  EXPECT_THAT(svg, HasSubstr("<a href=\"#promotion-1\">"));
  EXPECT_THAT(svg,
              HasSubstr("5 evaluations in the order of the search: 4 were measured, 2 of them promoted; 1 failed."));
}

TEST(Timeline, TheIncumbentStepsAtPromotionsAndTheBandGoesWithIt) {
  const std::string svg = draw(sample_timeline());
  const auto points_of = [&](const std::string& css_class) {
    const std::size_t end = svg.find("\" class=\"" + css_class + "\"");
    const std::size_t begin = svg.rfind("points=\"", end) + 8;
    return svg.substr(begin, end - begin);
  };
  EXPECT_EQ(occurrences(points_of("ap-step-thin"), ","), 3 * 2);
  EXPECT_EQ(occurrences(points_of("ap-noise"), ","), 3 * 4);
}

TEST(Timeline, FailuresThatAreNobodysFaultLookOtherwise) {
  Timeline timeline = sample_timeline();
  timeline.points[1].row = 1;
  EXPECT_EQ(occurrences(draw(timeline), "class=\"ap-lost-thin\""), 1);
  EXPECT_EQ(occurrences(draw(timeline), "class=\"ap-failed-thin\""), 0);
}

TEST(Timeline, WhatASupervisorSawHasALaneOfItsOwn) {
  Timeline timeline = sample_timeline();
  const std::string before = draw(timeline);
  EXPECT_THAT(before, Not(HasSubstr(">supervisor<")));
  timeline.spans = {{1, 3, "plateau", "why", "", Tone::doubt, true}};
  const std::string after = draw(timeline);
  EXPECT_THAT(after, HasSubstr(">supervisor<"));
  EXPECT_THAT(after, HasSubstr("class=\"ap-shade\""));
  EXPECT_THAT(after, HasSubstr(">plateau<"));
}

TEST(Timeline, WithoutAnythingMeasuredItIsStillAPicture) {
  Timeline timeline = sample_timeline();
  for (TimelinePoint& point : timeline.points) {
    point = timeline.points[1];
  }
  timeline.band.reset();
  const std::string svg = draw(timeline);
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"ap-failed-thin\""), 5);
  EXPECT_THAT(svg, Not(HasSubstr("ap-noise\"")));
  Timeline empty;
  empty.id = "none";
  EXPECT_EQ(testing::markup_problem(draw(empty)), "");
}

}  // namespace
}  // namespace assay::plot
