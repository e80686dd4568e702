#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <rapidcheck.h>

#include <assay/task/expression.hpp>

namespace assay::task {
namespace {

using ::testing::HasSubstr;

const Named<std::int64_t> kValues = {{"N", 64},
                                     {"M", 3},
                                     {"zero", 0},
                                     {"big", std::numeric_limits<std::int64_t>::max()},
                                     {"small", std::numeric_limits<std::int64_t>::min()}};

std::int64_t value(std::string_view expression) {
  const auto result = evaluate_expression(expression, kValues);
  EXPECT_TRUE(result.has_value()) << expression << ": " << (result ? "" : result.error().text());
  return result.value_or(-999);
}

std::string code(std::string_view expression) {
  const auto result = evaluate_expression(expression, kValues);
  return result ? "value " + std::to_string(*result) : result.error().code;
}

TEST(Expression, FollowsPythonsPrecedence) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("100 // 7 // 2"), 7);
  EXPECT_EQ(value("-2 ** 2"), -4);
  EXPECT_EQ(value("2 ** 3 ** 2"), 512);
  EXPECT_EQ(value("2 ** -0"), 1);
  EXPECT_EQ(value("-3 % 5 * 2"), 4);
  EXPECT_EQ(value("+-+3"), -3);
  EXPECT_EQ(value("not 1 == 2"), 1);
  EXPECT_EQ(value("1 or 0 and 0"), 1);
}

TEST(Expression, DividesTowardsMinusInfinity) {
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("7 // -2"), -4);
  EXPECT_EQ(value("-7 // -2"), 3);
  EXPECT_EQ(value("-7 % 2"), 1);
  EXPECT_EQ(value("7 % -2"), -1);
  EXPECT_EQ(value("-8 % 2"), 0);
  EXPECT_EQ(value("small % -1"), 0);
}

TEST(Expression, DivisionPropertyHolds) {
  EXPECT_TRUE(rc::check("division as in Python", [](std::int32_t a, std::int32_t b) {
    RC_PRE(b != 0);
    const Named<std::int64_t> values = {{"a", a}, {"b", b}};
    RC_ASSERT(evaluate_expression("a == (a // b) * b + a % b", values).value() == 1);
    RC_ASSERT(evaluate_expression("a % b == 0 or (a % b > 0) == (b > 0)", values).value() == 1);
    RC_ASSERT(evaluate_expression("max(a, -a) % max(b, -b) < max(b, -b)", values).value() == 1);
  }));
}

TEST(Expression, ComparesInChains) {
  EXPECT_EQ(value("1 < 2 < 3"), 1);
  EXPECT_EQ(value("1 < 3 < 2"), 0);
  EXPECT_EQ(value("3 > 2 >= 2 != 1"), 1);
  EXPECT_EQ(value("(1 < 2) == 1"), 1);
  EXPECT_EQ(value("N % 8 == 0 and N <= 64"), 1);
  EXPECT_EQ(value("5 > 3 == 1"), 0);  // 5 > 3 and 3 == 1
}

TEST(Expression, LogicReturnsAnOperandAndStopsEarly) {
  EXPECT_EQ(value("0 or 5"), 5);
  EXPECT_EQ(value("3 and 7"), 7);
  EXPECT_EQ(value("0 and 7"), 0);
  EXPECT_EQ(value("zero != 0 and N // zero > 1"), 0);
  EXPECT_EQ(value("zero == 0 or big + big > 0"), 1);
  EXPECT_EQ(value("2 < 1 < N // zero"), 0);
  EXPECT_EQ(value("True + True"), 2);
}

TEST(Expression, KnowsMinimumAndMaximum) {
  EXPECT_EQ(value("min(3, N, -1)"), -1);
  EXPECT_EQ(value("max(M * 10, N // 4)"), 30);
  EXPECT_EQ(value("max(min(1, 2), 0)"), 1);
  EXPECT_EQ(code("min(3)"), "expression.syntax");
  EXPECT_EQ(value("ceil_div(7, 2)"), 4);
  EXPECT_EQ(value("ceil_div(8, 2) + ceil_div(-7, 2)"), 1);
  EXPECT_EQ(code("ceil_div(1, 0)"), "expression.division");
  EXPECT_EQ(code("ceil_div(1)"), "expression.syntax");
  EXPECT_EQ(code("ceil_div(1, 2, 3)"), "expression.syntax");
  EXPECT_EQ(code("max()"), "expression.syntax");
  EXPECT_EQ(code("min + 1"), "expression.name");
}

TEST(Expression, RefusesWhatHasNoIntegerValue) {
  EXPECT_EQ(code("N // zero"), "expression.division");
  EXPECT_EQ(code("N % (M - 3)"), "expression.division");
  EXPECT_EQ(code("2 ** -1"), "expression.exponent");
  EXPECT_EQ(code("big + 1"), "expression.overflow");
  EXPECT_EQ(code("small - 1"), "expression.overflow");
  EXPECT_EQ(code("-small"), "expression.overflow");
  EXPECT_EQ(code("small // -1"), "expression.overflow");
  EXPECT_EQ(code("big * 2"), "expression.overflow");
  EXPECT_EQ(code("2 ** 63"), "expression.overflow");
  EXPECT_EQ(code("9223372036854775808"), "expression.overflow");
  EXPECT_EQ(value("2 ** 62"), std::int64_t{1} << 62U);
  EXPECT_EQ(value("(-2) ** 63"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value("(-1) ** 9223372036854775807"), -1);
  EXPECT_EQ(value("0 ** 0"), 1);
}

TEST(Expression, RefusesTheRestOfPython) {
  for (const char* text :
       {"",       "   ", "1 +",   "(1",  "1)",    "N = 3", "N / 2",         "N == ",     "a b",    "f(1)",   "N[0]",
        "N.x",    "1.5", "0x10",  "007", "1_",    "'a'",   "N if M else 2", "lambda: 1", "N is M", "N in M", "N <> M",
        "1 << 2", "~1",  "1 & 2", "not", "and 1", "1, 2",  "\n1",           "1;2",       "None",   "N && M", "\xff"}) {
    const auto result = evaluate_expression(text, kValues);
    EXPECT_FALSE(result.has_value()) << text;
    const bool expected =
        result || result.error().code == "expression.syntax" || result.error().code == "expression.name";
    EXPECT_TRUE(expected) << text << ": " << result.error().code;
  }
}

TEST(Expression, SaysWhereAndWhat) {
  EXPECT_THAT(evaluate_expression("N + blok", kValues).error().message,
              ::testing::AllOf(HasSubstr("\"blok\""), HasSubstr("column 5")));
  EXPECT_THAT(evaluate_expression("N / 2", kValues).error().message,
              ::testing::AllOf(HasSubstr("'//'"), HasSubstr("column 3")));
  EXPECT_THAT(evaluate_expression("N = 2", kValues).error().message, HasSubstr("'=='"));
  EXPECT_THAT(evaluate_expression("1 + N // zero", kValues).error().message, HasSubstr("column 7"));
  EXPECT_EQ(evaluate_expression("N /", kValues).error().owner, base::Owner::input);
}

TEST(Expression, UnknownNameIsAFaultEvenWhereItIsNotEvaluated) {
  EXPECT_EQ(code("0 and unknown"), "expression.name");
  EXPECT_TRUE(check_expression("0 and unknown").has_value());
}

TEST(Expression, CheckNeedsNoValues) {
  EXPECT_TRUE(check_expression("A // B ** 2 < min(C, 9223372036854775807 + 1)").has_value());
  EXPECT_FALSE(check_expression("A //").has_value());
  EXPECT_EQ(check_expression("A ! B").error().code, "expression.syntax");
}

TEST(Expression, IsBounded) {
  const std::string nested = std::string(60, '(') + "1" + std::string(60, ')');
  EXPECT_EQ(value(nested), 1);
  for (const std::string& open :
       {std::string("("), std::string("-"), std::string("not "), std::string("2 ** "), std::string("min(1, ")}) {
    std::string deep;
    for (int i = 0; i < 300; ++i) {
      deep += open;
    }
    EXPECT_EQ(code(deep + "1"), "expression.depth") << open;
  }
  std::string wide = "1";
  while (wide.size() <= 4096) {
    wide += " + 1";
  }
  EXPECT_EQ(code(wide), "expression.length");
  EXPECT_EQ(value(wide.substr(0, 4093)), 1024);
}

}  // namespace
}  // namespace assay::task
