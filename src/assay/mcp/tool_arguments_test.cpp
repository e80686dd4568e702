#include <assay/mcp/tool_arguments.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/mcp/tool_list.hpp>

namespace assay::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

base::Json parsed(const std::string& text) { return base::Json::parse(text); }

TEST(ToolArguments, ASubmissionIsReadWithItsHypothesis) {
  const auto given = read_submission(
      parsed(R"({"sources":[{"path":"k.cpp","content":"x"}],"change":"two\nlines","regime":"all","parent":0})"));
  ASSERT_TRUE(given) << given.error().text();
  EXPECT_THAT(given->submission.sources, SizeIs(1));
  EXPECT_EQ(given->submission.hypothesis.change, "two lines");
  EXPECT_EQ(given->submission.hypothesis.limiting_resource, "unknown");
  EXPECT_EQ(given->submission.parent, 0);
  const auto named = read_submission(parsed(R"({"sources":[{"path":"k","content":""}],"hypothesis":"h-1"})"));
  EXPECT_EQ(named->hypothesis_id, "h-1");
}

struct Wrong {
  const char* arguments;
  const char* message;
};

TEST(ToolArguments, WhatIsWrongIsNamedWithItsField) {
  for (const Wrong& wrong :
       {Wrong{"{}", "/sources"}, Wrong{R"({"sources":[]})", "/sources"}, Wrong{R"({"sources":"x"})", "/sources"},
        Wrong{R"({"sources":[{"path":"k"}]})", "/sources/0/content"},
        Wrong{R"({"sources":[{"path":"","content":""}]})", "/sources/0/path"},
        Wrong{R"({"sources":[{"path":"k","content":"","mode":7}]})", "/sources/0/mode"},
        Wrong{R"({"sources":[{"path":"k","content":""}],"tolerance":1})", "/tolerance"},
        Wrong{R"({"sources":[{"path":"k","content":""}],"seed":1})", "/seed"},
        Wrong{R"({"sources":[{"path":"k","content":""}],"hypothesis":"h","change":"c"})", "/change"},
        Wrong{R"({"sources":[{"path":"k","content":""}],"parent":-1})", "/parent"}, Wrong{"[]", "arguments"},
        Wrong{"7", "arguments"}}) {
    const auto given = read_submission(parsed(wrong.arguments));
    ASSERT_FALSE(given) << wrong.arguments;
    EXPECT_EQ(given.error().code, "mcp.arguments");
    EXPECT_THAT(given.error().message, HasSubstr(wrong.message)) << wrong.arguments;
  }
}

TEST(ToolArguments, EverythingIsBounded) {
  const std::string long_text(kLongestClaimText + 1, 'x');
  EXPECT_FALSE(read_submission(parsed(R"({"sources":[{"path":"k","content":""}],"change":")" + long_text + "\"}")));
  EXPECT_FALSE(read_submission(parsed(R"({"sources":[{"path":")" + long_text + R"(","content":""}]})")));
  EXPECT_FALSE(read_search(parsed(R"({"query":")" + long_text + "\"}")));
  EXPECT_FALSE(read_search(parsed(R"({"query":"x","limit":101})")));
  EXPECT_FALSE(read_limit(parsed(R"({"limit":0})")));
  EXPECT_FALSE(read_wait(parsed(R"({"job":"j","max_seconds":51})")));
  EXPECT_FALSE(read_candidate(parsed(R"({"candidate":-1})")));
  EXPECT_FALSE(read_candidate(parsed(R"({"candidate":1e300})")));
  EXPECT_FALSE(read_nothing(parsed(R"({"x":1})")));
  const auto error = read_nothing(parsed("{\"" + std::string(100'000, 'k') + "\":1}"));
  ASSERT_FALSE(error);
  EXPECT_LE(error.error().message.size(), 600U);
}

TEST(ToolArguments, WhatIsLeftOutHasItsUsualValue) {
  EXPECT_EQ(read_wait(parsed(R"({"job":"j"})"))->max_seconds, kUsualWait);
  EXPECT_EQ(read_limit(parsed("{}")).value(), 20);
  EXPECT_EQ(read_result(parsed(R"({"job":"j"})"))->job, "j");
  EXPECT_EQ(read_result(parsed(R"({"candidate":2})"))->candidate, 2);
  EXPECT_FALSE(read_result(parsed("{}")));
  EXPECT_FALSE(read_result(parsed(R"({"job":"j","candidate":2})")));
  EXPECT_EQ(read_pair(parsed(R"({"first":1,"second":2})"))->second, 2);
  EXPECT_FALSE(read_pair(parsed(R"({"first":1})")));
}

TEST(ToolArguments, AHypothesisMustBeStatedWhole) {
  EXPECT_FALSE(read_hypothesis_arguments(parsed(R"({"regime":"all","limiting_resource":"memory","change":"c"})")));
  const auto stated = read_hypothesis_arguments(
      parsed(R"({"regime":"all","limiting_resource":"memory","change":"c","predicted_effect":"1.2x"})"));
  ASSERT_TRUE(stated) << stated.error().text();
  EXPECT_EQ(stated->claim.predicted_effect, "1.2x");
  EXPECT_FALSE(stated->stated) << "nothing that a rule could decide";
  const auto tested = read_hypothesis_arguments(
      parsed(R"({"regime":"all","limiting_resource":"memory","change":"c","predicted_effect":"1.2x",)"
             R"("mechanism":"wider loads","predicted_speedup":{"at_least":1.05,"at_most":1.2},"differs":"aligned"})"));
  ASSERT_TRUE(tested && tested->stated);
  EXPECT_EQ(tested->stated->mechanism, "wider loads");
  EXPECT_EQ(task::predicted_text(tested->stated->predicted), "1.050x to 1.200x");
  EXPECT_EQ(tested->stated->differs, "aligned");
}

}  // namespace
}  // namespace assay::mcp
