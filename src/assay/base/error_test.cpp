#include <assay/base/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

namespace assay::base {
namespace {

using testing::ElementsAre;

Result<int> half(int value) {
  if (value % 2 != 0) {
    return input_error("half.odd", std::to_string(value) + " is odd");
  }
  return value / 2;
}

Result<int> quarter(int value) {
  ASSAY_TRY_ASSIGN(const int first, half(value));
  ASSAY_TRY_ASSIGN(const int second, half(first));  // Two in one scope need two names.
  return second;
}

Result<void> is_even(int value) {
  ASSAY_TRY(half(value));
  return {};
}

TEST(Error, TextHasTheContextInnermostFirst) {
  Error error{Owner::input, "a.b", "no such axis: batch", {}};
  EXPECT_EQ(error.text(), "no such axis: batch");
  error.context = {"while reading x.json", "while loading the dataset"};
  EXPECT_EQ(error.text(), "no such axis: batch (while reading x.json) (while loading the dataset)");
}

TEST(Error, MakersSetTheOwner) {
  EXPECT_EQ(input_error("a", "b").value().owner, Owner::input);
  EXPECT_EQ(environment_error("a", "b").value().owner, Owner::environment);
  EXPECT_EQ(internal_error("a", "b").value().owner, Owner::internal);
  EXPECT_EQ(input_error("a.code", "message").value().code, "a.code");
  EXPECT_EQ(input_error("a.code", "message").value().message, "message");
  EXPECT_TRUE(input_error("a", "b").value().context.empty());
}

TEST(Error, AnErrorWithoutAnOwnerIsOurs) { EXPECT_EQ(Error().owner, Owner::internal); }

TEST(Error, SystemErrorIsTheEnvironments) {
  const Error error = system_error("file.open", "opening x", ENOENT).value();
  EXPECT_EQ(error.owner, Owner::environment);
  EXPECT_EQ(error.code, "file.open");
  EXPECT_EQ(error.message, "opening x: No such file or directory");
}

// Scripts depend on these numbers and words.
TEST(Error, OwnersHaveFixedNamesAndExitCodes) {
  EXPECT_EQ(to_string(Owner::input), "input");
  EXPECT_EQ(to_string(Owner::environment), "environment");
  EXPECT_EQ(to_string(Owner::internal), "internal");
  EXPECT_EQ(exit_code(Owner::input), 2);
  EXPECT_EQ(exit_code(Owner::environment), 3);
  EXPECT_EQ(exit_code(Owner::internal), 70);
}

TEST(Result, WithContextAddsToErrorsOnly) {
  EXPECT_EQ(with_context(half(4), "while halving").value(), 2);
  const auto inner = with_context(half(3), "while halving");
  ASSERT_FALSE(inner);
  const auto outer = with_context(inner, "while testing");
  EXPECT_THAT(outer.error().context, ElementsAre("while halving", "while testing"));
  EXPECT_EQ(outer.error().code, "half.odd");
}

TEST(Result, WithContextTakesVoid) {
  EXPECT_TRUE(with_context(is_even(2), "x"));
  EXPECT_THAT(with_context(is_even(1), "x").error().context, ElementsAre("x"));
}

TEST(Try, AssignPassesValuesOn) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(7).error().message, "7 is odd");
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
}

TEST(Try, AssignMovesAndAssignsToWhatExists) {
  const auto make = [](bool good) -> Result<std::unique_ptr<int>> {
    if (!good) {
      return environment_error("none", "none left");
    }
    return std::make_unique<int>(5);
  };
  const auto sum = [&](bool good) -> Result<int> {
    std::unique_ptr<int> held;
    ASSAY_TRY_ASSIGN(held, make(true));
    ASSAY_TRY_ASSIGN(const auto second, make(good));
    return *held + *second;
  };
  EXPECT_EQ(sum(true).value(), 10);
  EXPECT_EQ(sum(false).error().code, "none");
}

TEST(Try, StopsAtTheFirstErrorAndEvaluatesOnce) {
  int calls = 0;
  const auto count = [&](int value) {
    ++calls;
    return half(value);
  };
  const auto both = [&]() -> Result<void> {
    ASSAY_TRY(count(3));
    ASSAY_TRY(count(4));
    return {};
  };
  EXPECT_FALSE(both());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(is_even(2));
}

TEST(Check, PassesQuietly) {
  int evaluated = 0;
  ASSAY_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, AbortsWithConditionAndPlace) {
  const int size = 3;
  EXPECT_EXIT(ASSAY_CHECK(size == 4), testing::KilledBySignal(SIGABRT),
              "internal error: size == 4 does not hold at .*error_test.cpp:[0-9]+");
}

}  // namespace
}  // namespace assay::base
