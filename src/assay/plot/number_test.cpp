#include <assay/plot/number.hpp>

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace assay::plot {
namespace {

TEST(Coordinate, HasAtMostTwoDecimalsAndNoPadding) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(12.5), "12.5");
  EXPECT_EQ(coordinate(12.346), "12.35");
  EXPECT_EQ(coordinate(100), "100");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(-3.10), "-3.1");
}

TEST(CoordinateDeathTest, RefusesWhatIsNoPlace) {
  EXPECT_DEATH(static_cast<void>(coordinate(std::nan(""))), "isfinite");
  EXPECT_DEATH(static_cast<void>(coordinate(std::numeric_limits<double>::infinity())), "isfinite");
}

RC_GTEST_PROP(CoordinateProperty, ReadsBackWithinHalfAHundredth, (int thousandths)) {
  RC_PRE(std::abs(thousandths) < 100'000'000);
  const double value = thousandths / 1000.0;
  RC_ASSERT(std::abs(std::stod(coordinate(value)) - value) <= 0.005 + 1e-6);
}

TEST(ShortNumber, WritesTicks) {
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(1500), "1500");
  EXPECT_EQ(short_number(0.1 + 0.2), "0.3");
  EXPECT_EQ(short_number(-0.0), "0");
}

TEST(DurationLabel, PicksTheUnit) {
  EXPECT_EQ(duration_label(500), "500 ns");
  EXPECT_EQ(duration_label(1000), "1 µs");
  EXPECT_EQ(duration_label(20'000), "20 µs");
  EXPECT_EQ(duration_label(1'500'000), "1.5 ms");
  EXPECT_EQ(duration_label(2e9), "2 s");
  EXPECT_EQ(duration_label(5e12), "5000 s");
  EXPECT_EQ(duration_label(999.9999999999), "1 µs");
}

TEST(RatioLabel, KeepsTwoDecimalsWhereTheyMatter) {
  EXPECT_EQ(ratio_label(1), "1.00×");
  EXPECT_EQ(ratio_label(0.337), "0.34×");
  EXPECT_EQ(ratio_label(99.99), "99.99×");
  EXPECT_EQ(ratio_label(250.4), "250×");
}

}  // namespace
}  // namespace assay::plot
