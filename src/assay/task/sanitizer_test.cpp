#include <assay/task/sanitizer.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/task/request.hpp>

namespace assay::task {
namespace {

using namespace std::chrono_literals;

TEST(Sanitizer, NamesAreTheToolsOwn) {
  EXPECT_EQ(sanitizer_names().size(), 4U);
  EXPECT_EQ(to_string(Sanitizer::memcheck), "memcheck");
  EXPECT_EQ(to_string(Sanitizer::synccheck), "synccheck");
}

TEST(Sanitizer, LimitsAreLongerButBounded) {
  EXPECT_EQ(sanitized_limit(100ms), 30s);
  EXPECT_EQ(sanitized_limit(2s), 40s);
  EXPECT_EQ(sanitized_limit(24h), 5min);
  EXPECT_EQ(sanitized_limit(std::chrono::milliseconds::max()), 5min);
}

TEST(Sanitizer, GoesThroughAPlanAndIsLeftOutWhereThereIsNone) {
  SessionPlan plan;
  EXPECT_FALSE(encode(plan).contains("sanitizers"));
  plan.sanitizers = {Sanitizer::racecheck, Sanitizer::memcheck};
  const auto read = decode_plan(encode(plan), "test");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->sanitizers, plan.sanitizers);
  EXPECT_TRUE(decode_plan(encode(SessionPlan()), "test")->sanitizers.empty());
}

TEST(Sanitizer, UnknownAndRepeatedOnesAreRefused) {
  base::Json json = encode(SessionPlan());
  json["sanitizers"] = {"memcheck", "leakcheck"};
  const auto unknown = decode_plan(json, "test");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("/sanitizers/1"), std::string::npos) << unknown.error().text();
  json["sanitizers"] = {"memcheck", "memcheck"};
  EXPECT_FALSE(decode_plan(json, "test"));
  json["sanitizers"] = "memcheck";
  EXPECT_FALSE(decode_plan(json, "test"));
}

}  // namespace
}  // namespace assay::task
