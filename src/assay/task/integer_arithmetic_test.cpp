#include <gtest/gtest.h>

#include <limits>
#include <rapidcheck.h>

#include <assay/task/integer_arithmetic.hpp>

namespace assay::task {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST(IntegerArithmetic, EdgesDoNotTrap) {
  EXPECT_FALSE(floor_quotient(kSmallest, -1).has_value());
  EXPECT_EQ(floor_remainder(kSmallest, -1), 0);
  EXPECT_EQ(floor_quotient(kLargest, -1), -kLargest);
  EXPECT_EQ(floor_quotient(kSmallest, kLargest), -2);
  EXPECT_EQ(floor_remainder(kSmallest, kLargest), kLargest - 1);
  EXPECT_EQ(floor_quotient(kLargest, kSmallest), -1);
  EXPECT_EQ(floor_remainder(kLargest, kSmallest), -1);
  EXPECT_EQ(floor_quotient(0, kSmallest), 0);
}

TEST(IntegerArithmetic, QuotientAndRemainderBelongTogether) {
  EXPECT_TRUE(rc::check("q * b + r == a in 128 bits", [](std::int64_t a, std::int64_t b) {
    RC_PRE((b != 0 && !(a == kSmallest && b == -1)));
    const Wide q = floor_quotient(a, b).value();
    const Wide r = floor_remainder(a, b);
    RC_ASSERT(q * b + r == a);
    RC_ASSERT((b > 0 ? (r >= 0 && r < b) : (r <= 0 && r > b)));
  }));
}

TEST(IntegerArithmetic, PowersFitOrAreNothing) {
  EXPECT_EQ(integer_power(2, 62), std::int64_t{1} << 62U);
  EXPECT_FALSE(integer_power(2, 63).has_value());
  EXPECT_EQ(integer_power(-2, 63), kSmallest);
  EXPECT_FALSE(integer_power(-2, 64).has_value());
  EXPECT_EQ(integer_power(-1, kLargest), -1);
  EXPECT_EQ(integer_power(1, kLargest), 1);
  EXPECT_EQ(integer_power(0, kLargest), 0);
  EXPECT_EQ(integer_power(0, 0), 1);
  EXPECT_EQ(integer_power(kSmallest, 1), kSmallest);
  EXPECT_FALSE(integer_power(kLargest, kLargest).has_value());
}

TEST(IntegerArithmetic, PowersMultiply) {
  EXPECT_TRUE(rc::check("x ** (n + 1) == x ** n * x", [] {
    const std::int64_t x = *rc::gen::inRange<std::int64_t>(-12, 13);
    const std::int64_t n = *rc::gen::inRange<std::int64_t>(0, 17);
    RC_ASSERT(integer_power(x, n + 1).value() == integer_power(x, n).value() * x);
  }));
}

}  // namespace
}  // namespace assay::task
