#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/agent/test_streams.hpp>
#include <assay/agent/usage.hpp>

namespace assay::agent {
namespace {

using testing::usage;

Usage any_usage() {
  const auto count = [] { return *rc::gen::inRange<std::int64_t>(0, 1'000'000'000); };
  Usage result;
  result.tokens = {count(), count(), count(), count(), count()};
  if (*rc::gen::arbitrary<bool>()) {
    result.dollars = static_cast<double>(count()) / 1024;  // Exact in binary.
  }
  return result;
}

RC_GTEST_PROP(UsageProperty, WhatWasAddedIsTheDifference, ()) {
  const Usage before = any_usage();
  const Usage spent = any_usage();
  const auto found = difference(before + spent, before);
  RC_ASSERT(found.has_value());
  RC_ASSERT(found->tokens == spent.tokens);
  RC_ASSERT(found->dollars.value_or(0) == spent.dollars.value_or(0));
}

RC_GTEST_PROP(UsageProperty, TheLargerOneIsAtLeastBoth, ()) {
  const Usage a = any_usage();
  const Usage b = any_usage();
  RC_ASSERT(difference(larger(a, b), a).has_value());
  RC_ASSERT(difference(larger(a, b), b).has_value());
  RC_ASSERT(larger(a, b) == larger(b, a));
}

TEST(Usage, ADifferenceIsNeverNegative) {
  EXPECT_FALSE(difference(usage(5, 0, 0, 0, 0), usage(6, 0, 0, 0, 0)));
  EXPECT_FALSE(difference(usage(5, 0, 0, 0, 0, 1.0), usage(5, 0, 0, 0, 0, 1.1)));
  EXPECT_EQ(difference(usage(5, 0, 0, 0, 0, 0.3), usage(5, 0, 0, 0, 0, 0.1 + 0.2))->dollars, 0.0);
}

TEST(Usage, DollarsThatNobodyToldAreNotZero) {
  EXPECT_TRUE(encode(usage(1, 2, 3, 4, 5))["dollars"].is_null());
  EXPECT_EQ(encode(usage(1, 2, 3, 4, 5, 0.0))["dollars"], 0.0);
  EXPECT_FALSE((usage(1, 0, 0, 0, 0) + usage(1, 0, 0, 0, 0)).dollars);
}

}  // namespace
}  // namespace assay::agent
