#include <assay/base/rounding_error.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace assay::base {
namespace {

TEST(RoundingError, IsTheDistanceToTheNearestNumber) {
  EXPECT_EQ(rounding_error(1 + 0x1p-9, 8, -125), -0x1p-9);
  EXPECT_EQ(rounding_error(-1 - 0x1p-9, 8, -125), 0x1p-9);
  EXPECT_EQ(rounding_error(1 + 0x1p-7 - 0x1p-10, 8, -125), 0x1p-10);
  EXPECT_EQ(rounding_error(1 + 0x1p-7, 8, -125), 0);
  EXPECT_EQ(std::fabs(rounding_error(1 + 0x1p-8, 8, -125)), 0x1p-8) << "half way, either way";
  for (const double value : {0.1, -3.7, 1e30, 1e-30}) {
    EXPECT_EQ(rounding_error(value, 24, -125), static_cast<double>(static_cast<float>(value)) - value);
  }
}

TEST(RoundingError, SmallNumbersAreAsFarApartAsTheSmallestNormalOnes) {
  // binary16: 2^-14 is normal, and its neighbours are 2^-24 apart.
  EXPECT_EQ(rounding_error(0x1.4p-24, 11, -13), -0x1p-26);
  EXPECT_EQ(rounding_error(0x1p-26, 11, -13), -0x1p-26);
  EXPECT_EQ(rounding_error(0x1p-24, 11, -13), 0);
}

TEST(RoundingError, WhatIsNoNumberHasNone) {
  EXPECT_EQ(rounding_error(0, 8, -125), 0);
  EXPECT_EQ(rounding_error(HUGE_VAL, 8, -125), 0);
  EXPECT_EQ(rounding_error(-HUGE_VAL, 8, -125), 0);
  EXPECT_EQ(rounding_error(std::numeric_limits<double>::quiet_NaN(), 8, -125), 0);
}

}  // namespace
}  // namespace assay::base
