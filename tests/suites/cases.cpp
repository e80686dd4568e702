// Suites that end in each way; suites_test.py sees what ctest makes of them. Never part of `./dev test` itself.
#include <gtest/gtest.h>

#include <cstdlib>

namespace {

TEST(Passes, Once) { EXPECT_TRUE(true); }
TEST(Passes, Twice) { EXPECT_TRUE(true); }

TEST(Skips, One) { GTEST_SKIP() << "for want of nothing"; }
TEST(Skips, AndPassesAnother) { EXPECT_TRUE(true); }

TEST(Fails, AfterOneThatPasses) { EXPECT_TRUE(true); }
TEST(Fails, One) { EXPECT_TRUE(false); }

TEST(FailsBeforeASkip, Fails) { EXPECT_TRUE(false); }
TEST(FailsBeforeASkip, Skips) { GTEST_SKIP() << "[  SKIPPED ]"; }

TEST(FailsAfterASkip, Skips) { GTEST_SKIP() << "[  SKIPPED ]"; }
TEST(FailsAfterASkip, Fails) { EXPECT_TRUE(false); }

TEST(EndsAfterASkip, Skips) { GTEST_SKIP() << "and then the process ends"; }
TEST(EndsAfterASkip, Aborts) { std::abort(); }

class Numbered : public testing::TestWithParam<int> {};
TEST_P(Numbered, IsNotTwo) { EXPECT_NE(GetParam(), 2); }
INSTANTIATE_TEST_SUITE_P(Odd, Numbered, testing::Values(1, 3));
INSTANTIATE_TEST_SUITE_P(Even, Numbered, testing::Values(2, 4));

template <class T>
class Typed : public testing::Test {};
using Types = testing::Types<int, char>;
TYPED_TEST_SUITE(Typed, Types);
TYPED_TEST(Typed, IsSmall) { EXPECT_EQ(sizeof(TypeParam), 1U); }

// Of those that no GPU takes part in, each has a name that does not begin so.
TEST(GpuCases, Pass) { EXPECT_TRUE(true); }

}  // namespace
