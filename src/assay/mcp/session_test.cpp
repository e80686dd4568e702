#include <assay/mcp/session.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/mcp/fake_toolbox.hpp>

namespace assay::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"new\nclient","version":"2"},"progressToken":"p"})";

class SessionTest : public ::testing::Test {
 protected:
  // What is answered to a line.
  std::vector<base::Json> say(const std::string& line) {
    sent_.clear();
    session_.receive(line, now_);
    return sent_;
  }
  base::Json ask(const std::string& method, const std::string& parameters = "{}", const std::string& id = "1") {
    const auto answers =
        say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + parameters + "}");
    EXPECT_THAT(answers, SizeIs(1)) << method;
    return answers.empty() ? base::Json() : answers.back();
  }
  void shake_hands(const std::string& version = "2025-06-18") {
    EXPECT_TRUE(ask("initialize", R"({"protocolVersion":")" + version +
                                      R"(","capabilities":{},"clientInfo":{"name":"old","version":"1"}})")
                    .contains("result"));
    EXPECT_THAT(say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), IsEmpty());
  }
  std::vector<base::Json> wait(std::chrono::milliseconds time) {
    sent_.clear();
    now_ += time;
    session_.look_after(now_);
    return sent_;
  }

  testing::FakeToolbox toolbox_;
  std::vector<base::Json> sent_;
  Session session_{toolbox_, "0.1.0", [this](const std::string& line) {
                     EXPECT_EQ(line.find('\n'), std::string::npos);
                     sent_.push_back(base::Json::parse(line));
                   }};
  Session::Time now_{};
};

TEST_F(SessionTest, EachVersionWithAHandshakeIsSpokenAndAnUnknownOneIsAnsweredWithTheNewest) {
  for (const std::string_view version : kHandshakeVersions) {
    const base::Json answer = ask("initialize", R"({"protocolVersion":")" + std::string(version) + "\"}");
    EXPECT_EQ(answer["result"]["protocolVersion"], version);
    EXPECT_FALSE(answer["result"].contains("resultType")) << "it has none of what came later";
  }
  EXPECT_EQ(ask("initialize", R"({"protocolVersion":"1999-01-01"})")["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(ask("initialize")["error"]["code"], -32602);
}

TEST_F(SessionTest, WithoutAHandshakeEachRequestMustSayWhatItSpeaks) {
  EXPECT_EQ(ask("tools/list")["error"]["code"], -32600);
  EXPECT_EQ(ask("server/discover")["error"]["code"], -32602);
  EXPECT_EQ(ask("tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})")["error"]["code"],
            -32602)
      << "without what the client can do";
  const base::Json refused = ask(
      "server/discover",
      R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}})");
  EXPECT_EQ(refused["error"]["code"], -32022);
  EXPECT_EQ(refused["error"]["data"]["requested"], "2031-01-01");
  EXPECT_THAT(refused["error"]["data"]["supported"],
              ElementsAre("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"));
  const base::Json listed = ask("tools/list", "{" + kMeta + "}")["result"];
  EXPECT_EQ(listed["resultType"], "complete");
  EXPECT_EQ(listed["cacheScope"], "private");
  EXPECT_GT(listed["ttlMs"], 0);
  EXPECT_EQ(listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "assay");
  EXPECT_THAT(listed["tools"], SizeIs(1));
  EXPECT_EQ(ask("ping", "{" + kMeta + "}")["error"]["code"], -32601) << "gone with the handshake";
}

TEST_F(SessionTest, PingIsAnsweredAtAnyTimeAndWhatIsUnknownRefused) {
  EXPECT_EQ(ask("ping")["result"], base::Json::object());
  shake_hands();
  for (const char* method : {"resources/list", "prompts/list", "logging/setLevel", "nothing"}) {
    EXPECT_EQ(ask(method)["error"]["code"], -32601) << method;
  }
  EXPECT_EQ(ask("tools/list", R"({"cursor":"x"})")["error"]["code"], -32602);
  const base::Json unknown = ask("tools/call", R"({"name":"rm"})");
  EXPECT_EQ(unknown["error"]["code"], -32602);
  EXPECT_THAT(unknown["error"]["message"].get<std::string>(), HasSubstr("evaluate_candidate"));
  EXPECT_EQ(ask("tools/call")["error"]["code"], -32602);
  EXPECT_THAT(say(R"({"jsonrpc":"2.0","method":"notifications/unknown"})"), IsEmpty());
  EXPECT_THAT(say(R"({"jsonrpc":"2.0","id":1,"result":{}})"), IsEmpty());
  EXPECT_THAT(say(" \r"), IsEmpty());
}

TEST_F(SessionTest, AFailureOfAToolIsAResult) {
  shake_hands();
  const base::Json answer = ask("tools/call", R"({"name":"evaluate_candidate","arguments":{"path":"bad"}})");
  EXPECT_EQ(answer["result"]["isError"], true);
  EXPECT_EQ(answer["result"]["content"][0]["text"], "no such file: bad");
  EXPECT_FALSE(answer["result"].contains("structuredContent")) << "it would not fit the schema";
}

TEST_F(SessionTest, ProgressGrowsIsToldAtMostOnceASecondAndOnlyToThoseWhoAsked) {
  shake_hands();
  EXPECT_THAT(say(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"evaluate_candidate","arguments":)"
                  R"({"path":"slow"},"_meta":{"progressToken":7}}})"),
              ElementsAre(base::Json::parse(R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                                            R"({"progressToken":7,"progress":1,"message":"trial 1"}})")));
  EXPECT_THAT(wait(std::chrono::milliseconds(500)), IsEmpty());
  const auto second = wait(std::chrono::milliseconds(500));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0]["params"]["progress"], 2);
  EXPECT_THAT(say(R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"evaluate_candidate","arguments":)"
                  R"({"path":"slow"}}})"),
              IsEmpty());
  const auto late = wait(std::chrono::seconds(60));
  ASSERT_THAT(late, SizeIs(2)) << "both are answered when their time is up";
  EXPECT_EQ(late[0]["id"], 5);
  EXPECT_EQ(late[1]["result"]["structuredContent"]["status"], "LATE");
  EXPECT_FALSE(session_.waiting());
}

TEST_F(SessionTest, OthersAreAnsweredWhileACallWaits) {
  const std::string call = R"({"name":"evaluate_candidate","arguments":{"path":"slow"},)" + kMeta + "}";
  EXPECT_EQ(ask("tools/call", call, "1")["params"]["progressToken"], "p");
  EXPECT_EQ(ask("tools/list", "{" + kMeta + "}", "2")["id"], 2);
  EXPECT_EQ(ask("tools/list", "{" + kMeta + "}", "1")["error"]["code"], -32600) << "that id is taken";
  EXPECT_THAT(toolbox_.callers, ElementsAre("new client 2")) << "on one line";
}

TEST_F(SessionTest, NothingIsSentOfACallThatWasCancelled) {
  shake_hands();
  static_cast<void>(say(R"({"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"evaluate_candidate",)"
                        R"("arguments":{"path":"slow"},"_meta":{"progressToken":1}}})"));
  EXPECT_THAT(say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"y"}})"), IsEmpty());
  EXPECT_TRUE(session_.waiting());
  EXPECT_THAT(say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"r"}})"),
              IsEmpty());
  EXPECT_FALSE(session_.waiting());
  EXPECT_THAT(wait(std::chrono::seconds(100)), IsEmpty());
}

TEST_F(SessionTest, SoManyWaitAndNoMore) {
  shake_hands();
  for (std::size_t i = 0; i <= kMostWaiting; ++i) {
    sent_ = say(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                R"(,"method":"tools/call","params":{"name":"evaluate_candidate","arguments":{"path":"slow"}}})");
  }
  ASSERT_THAT(sent_, SizeIs(1));
  EXPECT_EQ(sent_[0]["result"]["isError"], true);
}

TEST_F(SessionTest, WhatIsNoMessageIsAnswered) {
  EXPECT_EQ(say("{")[0]["error"]["code"], -32700);
  EXPECT_EQ(say("{")[0]["id"], nullptr);
  sent_.clear();
  session_.refuse_long_line();
  EXPECT_EQ(sent_[0]["error"]["code"], -32600);
}

}  // namespace
}  // namespace assay::mcp
