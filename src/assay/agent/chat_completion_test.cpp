#include <assay/agent/chat_completion.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>

namespace assay::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HttpAnswer http_with(int status, std::string body) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

std::string completion_body(const std::string& content, const std::string& reason, const std::string& more = "") {
  return base::dump_compact({{"id", "chat-1"},
                             {"model", "m-2026"},
                             {"choices", {{{"message", {{"content", content}}}, {"finish_reason", reason}}}}}) +
         more;
}

std::string with_usage(const std::string& usage) {
  std::string text = completion_body("words", "stop");
  text.pop_back();
  return text + ",\"usage\":" + usage + "}";
}

TEST(ChatRequest, HasTheModelAndTwoMessages) {
  const auto json = base::parse_json(encode_chat_request("m", "how", "what \"|`\n", 100), "request").value();
  EXPECT_EQ(json["model"], "m");
  EXPECT_EQ(json["messages"][0]["role"], "system");
  EXPECT_EQ(json["messages"][1]["content"], "what \"|`\n");
  EXPECT_EQ(json["max_completion_tokens"], 100);
  EXPECT_EQ(json["stream"], false);
  EXPECT_FALSE(base::parse_json(encode_chat_request("m", "", "", {}), "request")->contains("max_completion_tokens"));
}

TEST(ChatAnswer, ThatEndsByItselfIsFinished) {
  const auto chat =
      read_chat_answer(http_with(200, with_usage(R"({"prompt_tokens":1200,"completion_tokens":80,"total_tokens":1280,
                               "prompt_tokens_details":{"cached_tokens":1000},
                               "completion_tokens_details":{"reasoning_tokens":30},"cost":0.0123})")),
                       false);
  EXPECT_EQ(chat.outcome, RunOutcome::finished);
  EXPECT_EQ(chat.content, "words");
  EXPECT_EQ(chat.id, "chat-1");
  EXPECT_EQ(chat.model, "m-2026");
  EXPECT_EQ(chat.spend, (Spend{Certainty::exact, {{1200, 1000, 0, 80, 30}, 0.0123}}));
}

TEST(ChatAnswer, WithoutAnAccountTheSpendIsUnknown) {
  for (const char* usage :
       {"null", "{}", R"({"prompt_tokens":5})", R"({"prompt_tokens":-5,"completion_tokens":1})",
        R"({"prompt_tokens":"5","completion_tokens":1})", R"({"prompt_tokens":1e99,"completion_tokens":1})"}) {
    EXPECT_EQ(read_chat_answer(http_with(200, with_usage(usage)), false).spend.certainty, Certainty::unknown) << usage;
  }
  const auto priced =
      read_chat_answer(http_with(200, with_usage(R"({"prompt_tokens":5,"completion_tokens":1,"cost":-3})")), false);
  EXPECT_FALSE(priced.spend.usage.dollars);
}

TEST(ChatAnswer, RefusalLengthAndErrorsAreToldApart) {
  EXPECT_EQ(read_chat_answer(http_with(200, completion_body("half", "length")), true).outcome,
            RunOutcome::limit_reached);
  EXPECT_EQ(read_chat_answer(http_with(200, completion_body("half", "length")), false).outcome, RunOutcome::failed);
  EXPECT_EQ(read_chat_answer(http_with(200, completion_body("", "content_filter")), false).outcome,
            RunOutcome::refused);
  const auto refused = read_chat_answer(
      http_with(200, R"({"choices":[{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]})"),
      false);
  EXPECT_EQ(refused.outcome, RunOutcome::refused);
  EXPECT_EQ(refused.cause, "I will not.");
  EXPECT_EQ(read_chat_answer(http_with(200, completion_body("", "stop")), false).outcome, RunOutcome::failed);
  EXPECT_EQ(read_chat_answer(http_with(200, completion_body("x", "tool_calls")), false).outcome, RunOutcome::failed);
}

TEST(ChatAnswer, EachStatusHasItsOwner) {
  const auto outcome = [](int status, const char* message = "no") {
    return read_chat_answer(http_with(status, base::dump_compact({{"error", {{"message", message}}}})), false).outcome;
  };
  EXPECT_EQ(outcome(401), RunOutcome::authentication);
  EXPECT_EQ(outcome(402), RunOutcome::quota);
  EXPECT_EQ(outcome(404), RunOutcome::not_started);
  EXPECT_EQ(outcome(307), RunOutcome::not_started);
  EXPECT_EQ(outcome(429), RunOutcome::rate_limited);
  EXPECT_EQ(outcome(429, "You exceeded your current quota"), RunOutcome::quota);
  EXPECT_EQ(outcome(500), RunOutcome::unavailable);
  EXPECT_EQ(outcome(503), RunOutcome::unavailable);
  EXPECT_EQ(outcome(400, "maximum context length is 8192 tokens"), RunOutcome::failed);
  EXPECT_EQ(outcome(400, "violates our usage policies"), RunOutcome::refused);
}

TEST(ChatAnswer, OnlyWhatMayPassIsTriedAgain) {
  const auto again = [](int status) { return read_chat_answer(http_with(status, "{}"), false).again; };
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    EXPECT_TRUE(again(status)) << status;
  }
  for (const int status : {200, 301, 400, 401, 402, 403, 404}) {
    EXPECT_FALSE(again(status)) << status;
  }
  EXPECT_FALSE(read_chat_answer(http_with(429, R"({"error":{"message":"insufficient_quota"}})"), false).again);
}

TEST(ChatAnswer, WhatWasRefusedCostNothingAndWhatFailedMayHave) {
  EXPECT_EQ(read_chat_answer(http_with(429, "{}"), false).spend, (Spend{Certainty::exact, {}}));
  EXPECT_EQ(read_chat_answer(http_with(500, "{}"), false).spend.certainty, Certainty::unknown);
}

TEST(ChatAnswer, FaultsOfTheLineAreOutcomes) {
  const auto outcome = [](HttpFault fault) {
    HttpAnswer answer;
    answer.fault = fault;
    answer.what = "because";
    const auto chat = read_chat_answer(answer, false);
    EXPECT_EQ(chat.cause, "because");
    return chat.outcome;
  };
  EXPECT_EQ(outcome(HttpFault::refused), RunOutcome::not_started);
  EXPECT_EQ(outcome(HttpFault::unreachable), RunOutcome::unavailable);
  EXPECT_EQ(outcome(HttpFault::timed_out), RunOutcome::timed_out);
  EXPECT_EQ(outcome(HttpFault::too_large), RunOutcome::failed);
  EXPECT_EQ(outcome(HttpFault::cut_off), RunOutcome::truncated);
}

TEST(ChatAnswer, AnyBytesAreRead) {
  for (const char* body : {"", "<html>busy</html>", "[]", "{", R"({"choices":[]})", R"({"choices":{}})",
                           R"({"choices":[null]})", R"({"choices":[{"message":7}]})", "\xff\xfe", "null"}) {
    EXPECT_EQ(read_chat_answer(http_with(200, body), false).outcome, RunOutcome::failed) << body;
  }
  EXPECT_EQ(read_chat_answer(http_with(200, R"({"error":{"message":"rate limit reached"}})"), false).outcome,
            RunOutcome::rate_limited);
  const auto hostile = read_chat_answer(http_with(500, "a\nb\x1b[2J" + std::string(100'000, 'x')), false);
  EXPECT_THAT(hostile.cause, Not(HasSubstr("\n")));
  EXPECT_THAT(hostile.cause, Not(HasSubstr("\x1b")));
  EXPECT_LT(hostile.cause.size(), 400U);
}

}  // namespace
}  // namespace assay::agent
