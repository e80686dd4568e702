#include <assay/plot/span_lanes.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::plot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Scale axis() { return {Scale::Kind::linear, {0, 100}, {100, 900}}; }

SpanMark span(double from, double to, const std::string& label, bool shaded = false) {
  return {from, to, label, "what " + label + " is", "", Tone::doubt, shaded};
}

std::string drawn(const std::vector<SpanMark>& spans) {
  Svg svg({.id = "t", .title = "t", .description = "d"});
  draw_span_shades(svg, spans, axis(), 10, 60);
  draw_span_lanes(svg, spans, axis(), 70, "supervisor");
  return svg.finish();
}

TEST(SpanLanes, WithoutSpansTakeNoRoom) {
  EXPECT_EQ(lanes_height({}, axis()), 0);
  EXPECT_THAT(drawn({}), Not(HasSubstr("supervisor")));
}

TEST(SpanLanes, ThatDoNotMeetShareALane) {
  EXPECT_THAT(assign_lanes({span(0, 10, "a"), span(30, 40, "b")}, axis()), ElementsAre(0U, 0U));
  EXPECT_DOUBLE_EQ(lanes_height({span(0, 10, "a"), span(30, 40, "b")}, axis()), kLaneHeight);
}

TEST(SpanLanes, ThatOverlapDoNot) {
  EXPECT_THAT(assign_lanes({span(0, 50, "a"), span(20, 60, "b"), span(55, 70, "c")}, axis()), ElementsAre(0U, 1U, 0U));
}

TEST(SpanLanes, ALabelTakesRoomToo) {
  EXPECT_THAT(assign_lanes({span(0, 10, "a very long label of a span that is short"), span(12, 14, "b")}, axis()),
              ElementsAre(0U, 1U));
}

TEST(SpanLanes, ALabelAtTheEdgeStandsBefore) {
  EXPECT_THAT(drawn({span(90, 100, "a plateau that lasts")}), HasSubstr("text-anchor=\"end\""));
}

TEST(SpanLanes, ShadeThePlotOnlyWhereTheyShall) {
  EXPECT_THAT(drawn({span(10, 20, "a")}), Not(HasSubstr("class=\"ap-shade\"")));
  EXPECT_THAT(drawn({span(10, 20, "a", true)}), HasSubstr("class=\"ap-shade\""));
}

TEST(SpanLanes, APointIsWideEnoughToBeSeen) { EXPECT_THAT(drawn({span(50, 50, "phantom")}), HasSubstr("width=\"6\"")); }

}  // namespace
}  // namespace assay::plot
