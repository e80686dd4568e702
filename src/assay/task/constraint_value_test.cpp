#include <assay/task/constraint_value.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace assay::task {
namespace {

std::string calculated_text(std::string_view word, ConstraintNumber left, ConstraintNumber right) {
  const auto calculated = calculate(word, left, right);
  if (const auto* why = std::get_if<std::string>(&calculated)) {
    return *why;
  }
  const ConstraintNumber number = std::get<ConstraintNumber>(calculated);
  return std::visit([](auto held) { return show(ConstraintValue{held}); }, number);
}

constexpr std::int64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();
std::int64_t whole(std::int64_t value) { return value; }

TEST(ConstraintValue, IntegersAreCalculatedAsInPython) {
  EXPECT_EQ(calculated_text("+", whole(2), whole(3)), "5");
  EXPECT_EQ(calculated_text("-", whole(2), whole(3)), "-1");
  EXPECT_EQ(calculated_text("*", whole(2), whole(3)), "6");
  EXPECT_EQ(calculated_text("//", whole(-7), whole(2)), "-4");
  EXPECT_EQ(calculated_text("%", whole(-7), whole(2)), "1");
  EXPECT_EQ(calculated_text("**", whole(2), whole(10)), "1024");
  EXPECT_EQ(calculated_text("/", whole(7), whole(2)), "3.5");
  EXPECT_EQ(calculated_text("**", whole(2), whole(-1)), "0.5");
}

TEST(ConstraintValue, AFloatMakesTheResultOne) {
  EXPECT_EQ(calculated_text("+", 0.5, whole(1)), "1.5");
  EXPECT_EQ(calculated_text("-", whole(1), 0.5), "0.5");
  EXPECT_EQ(calculated_text("*", 0.5, 0.5), "0.25");
  EXPECT_EQ(calculated_text("//", -0.5, whole(1)), "-1");
  EXPECT_EQ(calculated_text("%", -0.5, whole(1)), "0.5");
}

TEST(ConstraintValue, WhatHasNoResultSaysSo) {
  EXPECT_EQ(calculated_text("//", whole(1), whole(0)), "it divides by zero");
  EXPECT_EQ(calculated_text("%", whole(1), whole(0)), "it divides by zero");
  EXPECT_EQ(calculated_text("/", whole(1), 0.0), "it divides by zero");
  for (const char* word : {"+", "*"}) {
    EXPECT_EQ(calculated_text(word, kLargestInteger, kLargestInteger), "a number does not fit in 64 bits") << word;
  }
  EXPECT_EQ(calculated_text("-", whole(-2), kLargestInteger), "a number does not fit in 64 bits");
  EXPECT_EQ(calculated_text("**", whole(10), whole(30)), "a number does not fit in 64 bits");
}

TEST(ConstraintValue, ComparesIntegersExactly) {
  EXPECT_TRUE(compare_numbers("<", kLargestInteger - 1, kLargestInteger));
  EXPECT_FALSE(compare_numbers("==", kLargestInteger - 1, kLargestInteger));
  EXPECT_TRUE(compare_numbers("!=", whole(1), 1.5));
  EXPECT_TRUE(compare_numbers("<=", whole(1), 1.0));
  EXPECT_TRUE(compare_numbers(">", 2.0, whole(1)));
  EXPECT_FALSE(compare_numbers(">=", std::numeric_limits<double>::quiet_NaN(), whole(1)));
}

TEST(ConstraintValue, ABooleanIsANumberAndNoneIsNot) {
  EXPECT_EQ(number_of({true}), ConstraintNumber(whole(1)));
  EXPECT_EQ(number_of({false}), ConstraintNumber(whole(0)));
  EXPECT_EQ(number_of({0.5}), ConstraintNumber(0.5));
  EXPECT_FALSE(number_of({}));
  EXPECT_FALSE(number_of({std::string("1")}));
}

TEST(ConstraintValue, IsShownAsPythonWould) {
  EXPECT_EQ(show({}), "None");
  EXPECT_EQ(show({true}), "True");
  EXPECT_EQ(show({whole(-3)}), "-3");
  EXPECT_EQ(show({std::string("NHD")}), "'NHD'");
  EXPECT_EQ(show({ConstraintValue::Sequence{{whole(1)}, {0.5}, {}}}), "[1, 0.5, None]");
  EXPECT_EQ(show({TensorPart{"x", {2, 3}, 0}}), "a tensor of shape [2, 3]");
}

}  // namespace
}  // namespace assay::task
