#include <assay/plot/sparkline.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

#include <assay/plot/testing.hpp>

namespace assay::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Sparkline sample(std::vector<double> values) {
  return {.id = "spark",
          .title = "Incumbent's speedup",
          .values = std::move(values),
          .width = 140,
          .height = 28,
          .style = Style::from_page};
}

TEST(Sparkline, MatchesItsGoldenFile) {
  const std::string svg = draw(sample({1, 1, 1.4, 1.4, 1.4, 2.1, 2.1}));
  EXPECT_EQ(testing::markup_problem(svg), "");
  testing::expect_golden(svg, "sparkline.svg");
}

TEST(Sparkline, DescribesItselfInWords) {
  EXPECT_THAT(draw(sample({1, 3, 0.5, 2})), HasSubstr("4 values from 1 to 2; least 0.5, greatest 3."));
  EXPECT_THAT(draw(sample({})), HasSubstr("No values."));
}

TEST(Sparkline, StepsAreFlatBetweenChanges) {
  // Three equal values need two corners; the change adds a vertical edge.
  EXPECT_THAT(draw(sample({1, 1, 1, 2})), HasSubstr("points=\"0,24 136,24 136,4\""));
}

TEST(Sparkline, WorksWithOneValueAndWithEqualOnes) {
  EXPECT_EQ(testing::markup_problem(draw(sample({5}))), "");
  EXPECT_THAT(draw(sample({5, 5, 5})), Not(HasSubstr("nan")));
  EXPECT_THAT(draw(sample({})), Not(HasSubstr("polyline")));
}

TEST(SparklineDeathTest, RefusesWhatHasNoPlace) {
  EXPECT_DEATH(static_cast<void>(draw(sample({1, std::nan("")}))), "isfinite");
}

}  // namespace
}  // namespace assay::plot
