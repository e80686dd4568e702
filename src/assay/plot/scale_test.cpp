#include <assay/plot/scale.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace assay::plot {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::SizeIs;

auto near(double value) { return DoubleNear(value, 1e-9 * std::abs(value) + 1e-12); }

TEST(LinearTicks, AreNice) {
  EXPECT_THAT(linear_ticks({0, 1}, 6), ElementsAre(near(0), near(0.2), near(0.4), near(0.6), near(0.8), near(1)));
  EXPECT_THAT(linear_ticks({0.97, 1.31}, 5), ElementsAre(near(1.0), near(1.1), near(1.2), near(1.3)));
  EXPECT_THAT(linear_ticks({-3, 3}, 4), ElementsAre(near(-2), near(0), near(2)));
  EXPECT_THAT(linear_ticks({7, 7}, 4), ElementsAre(7));
}

TEST(LinearTicks, KeepTheEndsInSpiteOfRounding) {
  EXPECT_THAT(linear_ticks({0.1, 0.3}, 3), ElementsAre(near(0.1), near(0.2), near(0.3)));
}

TEST(LogTicks, ChooseByTheNumberOfDecades) {
  EXPECT_THAT(log_ticks({1, 1000}, 10), ElementsAre(near(1), near(2), near(5), near(10), near(20), near(50), near(100),
                                                    near(200), near(500), near(1000)));
  EXPECT_THAT(log_ticks({1, 1e4}, 5), ElementsAre(near(1), near(10), near(100), near(1000), near(1e4)));
  EXPECT_THAT(log_ticks({1, 1e12}, 5), ElementsAre(near(1), near(1e3), near(1e6), near(1e9), near(1e12)));
  EXPECT_THAT(log_ticks({1.01, 1.39}, 5), ElementsAre(near(1.1), near(1.2), near(1.3)));
}

TEST(ScaleDeathTest, RefusesWhatHasNoLogarithmOrOrder) {
  EXPECT_DEATH(Scale(Scale::Kind::logarithmic, {0, 1}, {0, 1}), "domain.from > 0");
  EXPECT_DEATH(Scale(Scale::Kind::linear, {2, 1}, {0, 1}), "domain.from <= domain.to");
  EXPECT_DEATH(Scale(Scale::Kind::linear, {0, std::nan("")}, {0, 1}), "isfinite");
  EXPECT_DEATH(static_cast<void>(linear_ticks({0, 1}, 1)), "wanted > 1");
}

TEST(Scale, MapsBackwardRanges) {
  const Scale scale(Scale::Kind::linear, {0, 10}, {200, 0});
  EXPECT_DOUBLE_EQ(scale.at(0), 200);
  EXPECT_DOUBLE_EQ(scale.at(10), 0);
  EXPECT_DOUBLE_EQ(scale.at(2.5), 150);
}

TEST(Scale, LogarithmicPutsTheGeometricMeanInTheMiddle) {
  const Scale scale(Scale::Kind::logarithmic, {0.5, 2}, {0, 100});
  EXPECT_DOUBLE_EQ(scale.at(1), 50);
}

TEST(Scale, ClampsEvenInfinities) {
  const Scale scale(Scale::Kind::logarithmic, {1, 100}, {300, 100});
  EXPECT_DOUBLE_EQ(scale.clamped(0), 300);
  EXPECT_DOUBLE_EQ(scale.clamped(std::numeric_limits<double>::infinity()), 100);
  EXPECT_DOUBLE_EQ(scale.clamped(10), 200);
}

TEST(Scale, WidensAnEmptyDomain) {
  EXPECT_DOUBLE_EQ(Scale(Scale::Kind::linear, {5, 5}, {0, 100}).at(5), 50);
  EXPECT_DOUBLE_EQ(Scale(Scale::Kind::linear, {0, 0}, {0, 100}).at(0), 50);
  const Scale logarithmic(Scale::Kind::logarithmic, {5, 5}, {0, 100});
  EXPECT_TRUE(logarithmic.contains(5));
  EXPECT_TRUE(std::isfinite(logarithmic.at(5)));
}

RC_GTEST_PROP(ScaleProperty, TicksLieInsideAscendAndAreNotTooMany, ()) {
  const double from = *rc::gen::inRange(1, 100'000) / 100.0;
  const double to = from + *rc::gen::inRange(1, 1'000'000) / 100.0;
  const int wanted = *rc::gen::inRange(3, 15);
  for (const auto kind : {Scale::Kind::linear, Scale::Kind::logarithmic}) {
    const Scale scale(kind, {from, to}, {0, 100});
    const auto ticks = scale.ticks(wanted);
    RC_ASSERT(!ticks.empty());
    RC_ASSERT(ticks.size() <= static_cast<std::size_t>(3 * wanted));
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      RC_ASSERT(scale.at(ticks[i]) > -1e-6 && scale.at(ticks[i]) < 100 + 1e-6);
      RC_ASSERT((i == 0 || ticks[i] > ticks[i - 1]));
    }
  }
}

RC_GTEST_PROP(ScaleProperty, KeepsTheOrder, ()) {
  const double a = *rc::gen::inRange(1, 1000) / 10.0;
  const double b = *rc::gen::inRange(1, 1000) / 10.0;
  RC_PRE(a < b);
  RC_ASSERT(Scale(Scale::Kind::linear, {1, 50}, {0, 9}).at(a) < Scale(Scale::Kind::linear, {1, 50}, {0, 9}).at(b));
  const Scale logarithmic(Scale::Kind::logarithmic, {1, 50}, {9, 0});
  RC_ASSERT(logarithmic.at(a) > logarithmic.at(b));
}

}  // namespace
}  // namespace assay::plot
