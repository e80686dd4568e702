// What no recording has: hostile bytes, kinds of events of other versions, accounts that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/agent/test_streams.hpp>

namespace assay::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::usage;

StreamSummary codex(const std::string& bytes, const RunFacts& facts = {}) {
  return summarise_stream(Dialect::codex, bytes, facts);
}
StreamSummary claude(const std::string& bytes, const RunFacts& facts = {}) {
  return summarise_stream(Dialect::claude, bytes, facts);
}

constexpr const char* kTurnCompleted =
    R"({"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":3}})"
    "\n";

std::string claude_result(const std::string& rest) {
  return R"({"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":1.5,)"
         R"("modelUsage":{"m":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4}})" +
         rest + "}\n";
}

TEST(StreamReader, AnEmptyStreamIsNoSuccess) {
  EXPECT_EQ(codex("").outcome, RunOutcome::truncated);
  RunFacts killed;
  killed.signal = 9;
  EXPECT_EQ(claude("", killed).outcome, RunOutcome::interrupted);
  EXPECT_EQ(claude("", killed).spend.certainty, Certainty::unknown);
  RunFacts well;
  well.exit_code = 0;
  EXPECT_EQ(claude("", well).outcome, RunOutcome::truncated);
}

TEST(StreamReader, MalformedLinesAreCountedAndTheirBeginningsKept) {
  const StreamSummary found = codex("not json\n{\"type\":5}\n[1]\n\n{\"no\":\"type\"}\n" + std::string(kTurnCompleted));
  EXPECT_EQ(found.lines.lines, 5);
  EXPECT_EQ(found.lines.malformed, 4);
  ASSERT_EQ(found.lines.kept.size(), 4U);
  EXPECT_EQ(found.lines.kept[0].beginning, "not json");
  EXPECT_EQ(found.lines.kept[3].number, 5);
  EXPECT_EQ(found.outcome, RunOutcome::finished);
}

TEST(StreamReader, KeepsFewOfManyMalformedLines) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    bytes += std::string(500, 'x') + "\n";
  }
  const StreamSummary found = codex(bytes);
  EXPECT_EQ(found.lines.malformed, 1000);
  EXPECT_EQ(found.lines.kept.size(), kMostKeptLines);
  EXPECT_EQ(found.lines.kept[0].beginning.size(), kLongestName);
}

TEST(StreamReader, ALineThatIsTooLongIsDroppedAndTheNextIsRead) {
  const std::string bytes =
      R"({"type":"turn.failed","error":{"message":")" + std::string(kLongestLine, 'x') + "\"}}\n" + kTurnCompleted;
  const StreamSummary found = codex(bytes);
  EXPECT_EQ(found.lines.malformed, 1);
  EXPECT_EQ(found.outcome, RunOutcome::finished);
}

TEST(StreamReader, UnknownKindsAreCountedAndPassedOver) {
  const StreamSummary found = codex(
      "{\"type\":\"item.plan.delta\"}\n{\"type\":\"item.plan.delta\"}\n"
      "{\"type\":\"item.completed\",\"item\":{\"type\":\"new_thing\"}}\n" +
      std::string(kTurnCompleted));
  EXPECT_THAT(found.lines.unknown_kinds, ElementsAre(Pair("item.completed:new_thing", 1), Pair("item.plan.delta", 2)));
  EXPECT_EQ(found.outcome, RunOutcome::finished);
  const StreamSummary other = claude("{\"type\":\"system\",\"subtype\":\"brand_new\"}\n" + claude_result(""));
  EXPECT_THAT(other.lines.unknown_kinds, ElementsAre(Pair("system:brand_new", 1)));
}

TEST(StreamReader, ManyUnknownKindsShareACount) {
  std::string bytes;
  for (int i = 0; i < 500; ++i) {
    bytes += "{\"type\":\"kind" + std::to_string(i) + "\"}\n";
  }
  const StreamSummary found = codex(bytes);
  EXPECT_EQ(found.lines.unknown_kinds.size(), kMostUnknownKinds);
  EXPECT_GT(found.lines.unknown_kinds.at("(others)"), 400);
}

TEST(StreamReader, ManyToolsShareACount) {
  std::string bytes;
  for (int i = 0; i < 500; ++i) {
    bytes += R"({"type":"item.completed","item":{"id":"a","type":"mcp_tool_call","server":"s","tool":"t)" +
             std::to_string(i) + "\",\"status\":\"completed\"}}\n";
  }
  const StreamSummary found = codex(bytes);
  ASSERT_EQ(found.tools.size(), kMostTools);
  std::int64_t calls = 0;
  for (const ToolUse& use : found.tools) {
    calls += use.completed;
  }
  EXPECT_EQ(calls, 500);
}

TEST(StreamReader, ReadsAFinalLineWithoutANewline) {
  const std::string line = kTurnCompleted;
  const StreamSummary found = codex(line.substr(0, line.size() - 1));
  EXPECT_EQ(found.outcome, RunOutcome::finished);
  EXPECT_FALSE(found.lines.cut_off);
}

TEST(StreamReader, CodexsTotalsOfOneThreadAreNotAdded) {
  const auto turn = [](int input) {
    return "{\"type\":\"turn.started\"}\n{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":" +
           std::to_string(input) + ",\"output_tokens\":1}}\n";
  };
  const StreamSummary found = codex("{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n" + turn(100) + turn(250));
  EXPECT_EQ(found.spend, (Spend{Certainty::exact, usage(250, 0, 0, 1, 0)}));
}

TEST(StreamReader, CodexsFailedTurnHidesWhatItCost) {
  const std::string failed = "{\"type\":\"turn.started\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"m\"}}\n";
  const StreamSummary after = codex(kTurnCompleted + failed);
  EXPECT_EQ(after.outcome, RunOutcome::failed);
  EXPECT_EQ(after.spend, (Spend{Certainty::at_least, usage(10, 4, 0, 3, 0)}));
  const StreamSummary recovered = codex(failed + kTurnCompleted);
  EXPECT_EQ(recovered.outcome, RunOutcome::finished);
  EXPECT_EQ(recovered.spend.certainty, Certainty::exact);
}

TEST(StreamReader, AnAccountThatCannotBeIsNone) {
  for (const char* bad : {R"({"input_tokens":-5,"output_tokens":1})", R"({"input_tokens":1.5,"output_tokens":1})",
                          R"({"input_tokens":99999999999999999999,"output_tokens":1})", R"({"output_tokens":1})",
                          R"({"input_tokens":"10","output_tokens":1})", R"([])"}) {
    const StreamSummary found = codex(std::string("{\"type\":\"turn.completed\",\"usage\":") + bad + "}\n");
    EXPECT_EQ(found.spend, Spend{}) << bad;
    EXPECT_EQ(found.outcome, RunOutcome::finished);
  }
  const StreamSummary negative =
      claude(R"({"type":"result","subtype":"success","is_error":false,"total_cost_usd":-3,"modelUsage":{}})");
  EXPECT_EQ(negative.spend, Spend{});
}

TEST(StreamReader, ClaudesTurnAfterAResultNeedsAResultOfItsOwn) {
  const std::string message =
      R"({"type":"assistant","message":{"id":"m2","usage":{"input_tokens":7,"output_tokens":1},"content":[]}})"
      "\n";
  const StreamSummary found = claude(claude_result("") + message);
  EXPECT_EQ(found.outcome, RunOutcome::truncated);
  EXPECT_EQ(found.spend.certainty, Certainty::at_least);
  EXPECT_EQ(found.spend.usage.tokens, (Tokens{15, 3, 4, 3, 0}));
}

TEST(StreamReader, ClaudesFilesCountOnceTheCallSucceeded) {
  const auto call = [](const char* id, const char* path) {
    return std::string(R"({"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":")") + id +
           R"(","name":"Write","input":{"file_path":")" + path + "\"}}]}}\n";
  };
  const auto answer = [](const char* id, const char* error) {
    return std::string(R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":")") + id +
           R"(","is_error":)" + error + "}]}}\n";
  };
  const StreamSummary found = claude(call("1", "/w/a.cpp") + call("2", "/w/b.cpp") + call("3", "/w/c.cpp") +
                                     answer("1", "false") + answer("2", "true"));
  EXPECT_THAT(found.files, ElementsAre(ChangedFile{"/w/a.cpp", "Write"}));
  EXPECT_THAT(found.tools, ElementsAre(ToolUse{"", "Write", 1, 1, 1}));
}

TEST(StreamReader, ClaudesRefusalAndItsErrors) {
  EXPECT_EQ(claude(claude_result(R"(,"stop_reason":"refusal")")).outcome, RunOutcome::refused);
  const auto failed = [](const std::string& rest) {
    return claude(R"({"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error",)" + rest + "}")
        .outcome;
  };
  EXPECT_EQ(failed(R"("api_error_status":null,"result":"fetch failed")"), RunOutcome::unavailable);
  EXPECT_EQ(failed(R"("api_error_status":400,"result":"Your credit balance is too low")"), RunOutcome::quota);
  EXPECT_EQ(failed(R"("api_error_status":403,"result":"no")"), RunOutcome::authentication);
  EXPECT_EQ(claude(R"({"type":"result","subtype":"error_of_the_future","is_error":true})").outcome, RunOutcome::failed);
  // No word of is_error is no word of success.
  EXPECT_EQ(claude(R"({"type":"result","subtype":"success"})").outcome, RunOutcome::failed);
}

TEST(StreamReader, AResultThatSaysNothingIsAFailureWithACause) {
  const StreamSummary found = claude(R"({"type":"result"})");
  EXPECT_EQ(found.outcome, RunOutcome::failed);
  EXPECT_EQ(found.cause, "its result does not say how it ended");
}

TEST(StreamReader, SuccessThatEndedBadlyIsNone) {
  RunFacts facts;
  facts.exit_code = 1;
  EXPECT_EQ(codex(kTurnCompleted, facts).outcome, RunOutcome::failed);
  EXPECT_EQ(claude(claude_result(""), facts).outcome, RunOutcome::failed);
}

TEST(StreamReader, DeepAndWideLinesAreHarmless) {
  const std::string deep = "{\"type\":\"x\",\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}\n";
  EXPECT_EQ(codex(deep).lines.unknown_kinds.at("x"), 1);
  std::string wide = "{\"type\":\"x\"";
  for (int i = 0; i < 100000; ++i) {
    wide += ",\"k" + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(codex(wide + "}\n").lines.unknown_kinds.at("x"), 1);
}

TEST(StreamReader, EncodesWhatItFoundAndKeepsTheWordsApart) {
  const StreamSummary found = claude(testing::recorded(Dialect::claude, "bare"));
  const base::Json json = encode(found);
  EXPECT_EQ(json["outcome"], "finished");
  EXPECT_EQ(json["spend"]["tokens"]["input"], 10012);
  EXPECT_EQ(json["spend"]["certainty"], "exact");
  EXPECT_FALSE(json["environment"].get<bool>());
  EXPECT_EQ(base::dump_compact(json).find("Nothing to change"), std::string::npos);
}

}  // namespace
}  // namespace assay::agent
