#include <assay/agent/stated_hypothesis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/agent/working_folder.hpp>

namespace assay::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(StatedHypothesis, HasEachFieldInItsPlace) {
  const auto stated = parse_stated_hypothesis(
      R"({"regime": "m 1..8", "mechanism": "wider loads", "limiting_resource": "memory", "change": "float4",
          "predicted_speedup": {"at_least": 1.05, "at_most": 1.2}, "differs": "aligned", "predicted_effect": "much"})");
  ASSERT_TRUE(stated);
  EXPECT_EQ(stated->regime, "m 1..8");
  EXPECT_EQ(stated->mechanism, "wider loads");
  EXPECT_EQ(stated->limiting_resource, "memory");
  EXPECT_EQ(stated->change, "float4");
  EXPECT_DOUBLE_EQ(stated->predicted.upper, -std::log(1.05));
  EXPECT_DOUBLE_EQ(stated->predicted.lower, -std::log(1.2));
  EXPECT_EQ(stated->differs, "aligned");
  EXPECT_EQ(stated->claimed, "much");
}

TEST(StatedHypothesis, WithoutAMechanismThereIsNone) {
  EXPECT_FALSE(parse_stated_hypothesis(R"({"change": "float4", "regime": "all"})"));
  EXPECT_FALSE(parse_stated_hypothesis(R"({"mechanism": " ?! "})"));
  EXPECT_FALSE(parse_stated_hypothesis(R"({"mechanism": 7})"));
  EXPECT_FALSE(parse_stated_hypothesis("wider loads"));
  EXPECT_FALSE(parse_stated_hypothesis("[]"));
  EXPECT_FALSE(parse_stated_hypothesis(""));
}

TEST(StatedHypothesis, WhatPredictsNoGainIsNoSize) {
  for (const char* speedups : {R"({"at_least": 0.5, "at_most": 0.9})", R"({"at_least": "1.2"})", R"({"at_least": -1})",
                               R"({"at_most": 1e300})", "1.2", "null"}) {
    const auto stated =
        parse_stated_hypothesis(R"({"mechanism": "m", "predicted_speedup": )" + std::string(speedups) + "}");
    ASSERT_TRUE(stated);
    EXPECT_EQ(stated->predicted, task::PredictedEffect{}) << speedups;
  }
  const auto crossed =
      parse_stated_hypothesis(R"({"mechanism": "m", "predicted_speedup": {"at_least": 1.2, "at_most": 1.1}})");
  EXPECT_TRUE(std::isinf(crossed->predicted.lower));
  EXPECT_DOUBLE_EQ(crossed->predicted.upper, -std::log(1.2));
}

// It may write into the file what it likes: no key of it is a status, an interval, or an environment.
TEST(StatedHypothesis, WordsAreWordsOnALine) {
  const auto stated =
      parse_stated_hypothesis("{\"mechanism\": \"a\\n# b\\u001b[31m\", \"change\": \"" + std::string(5000, 'x') +
                              "\", \"status\": \"supported\", \"effect\": {\"mean\": -3}, \"environment\": \"all\"}");
  ASSERT_TRUE(stated);
  EXPECT_THAT(stated->mechanism, Not(HasSubstr("\n")));
  EXPECT_THAT(stated->mechanism, Not(HasSubstr("\x1b")));
  EXPECT_LE(stated->change.size(), 300U);
  EXPECT_EQ(stated->claimed, "");
}

TEST(StatedHypothesis, IsReadFromAFileAndNeverThroughALink) {
  const auto folder = os::TemporaryDirectory::create(::testing::TempDir(), "assay-hypothesis-").value();
  EXPECT_FALSE(read_stated_hypothesis(folder.path()));
  const os::Path outside = folder.path() / "outside.json";
  ASSERT_TRUE(os::write_file_atomic(outside, R"({"mechanism": "stolen"})"));
  std::filesystem::create_symlink(outside, folder.path() / kHypothesisFile);
  EXPECT_FALSE(read_stated_hypothesis(folder.path()));
  std::filesystem::remove(folder.path() / kHypothesisFile);
  ASSERT_TRUE(os::write_file_atomic(folder.path() / kHypothesisFile, R"({"mechanism": "own"})"));
  EXPECT_EQ(read_stated_hypothesis(folder.path())->mechanism, "own");
}

}  // namespace
}  // namespace assay::agent
