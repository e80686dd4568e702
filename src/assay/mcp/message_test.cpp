#include <assay/mcp/message.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::mcp {
namespace {

using ::testing::HasSubstr;

TEST(Message, RequestsNotificationsAndResponsesAreToldApart) {
  const Message request = parse_message(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})");
  EXPECT_EQ(request.kind, Message::Kind::request);
  EXPECT_EQ(request.id, "\"a\"");
  EXPECT_EQ(request.method, "m");
  EXPECT_EQ((*request.parameters)["x"], 1);
  const Message notification = parse_message(R"({"method":"m","jsonrpc":"2.0"})");
  EXPECT_EQ(notification.kind, Message::Kind::notification);
  EXPECT_TRUE(notification.parameters->empty());
  EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":7,"result":{}})").kind, Message::Kind::response);
  EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":7,"error":{}})").kind, Message::Kind::response);
}

struct Bad {
  const char* line;
  ErrorCode code;
  const char* id;
};

TEST(Message, WhatIsNoneIsAFaultWithItsId) {
  for (const Bad& bad :
       {Bad{"", ErrorCode::parse, "null"}, Bad{"{", ErrorCode::parse, "null"},
        Bad{"[]", ErrorCode::invalid_request, "null"}, Bad{"7", ErrorCode::invalid_request, "null"},
        Bad{R"({"id":1,"id":2})", ErrorCode::parse, "null"}, Bad{"{\"a\":\"\xff\"}", ErrorCode::parse, "null"},
        Bad{R"({"jsonrpc":"2.0","id":null,"method":"m"})", ErrorCode::invalid_request, "null"},
        Bad{R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", ErrorCode::invalid_request, "null"},
        Bad{R"({"jsonrpc":"1.0","id":3,"method":"m"})", ErrorCode::invalid_request, "3"},
        Bad{R"({"id":3,"method":"m"})", ErrorCode::invalid_request, "3"},
        Bad{R"({"jsonrpc":"2.0","id":3})", ErrorCode::invalid_request, "3"},
        Bad{R"({"jsonrpc":"2.0","id":3,"method":7})", ErrorCode::invalid_request, "3"},
        Bad{R"({"jsonrpc":"2.0","id":3,"method":"m","params":[]})", ErrorCode::invalid_parameters, "3"}}) {
    const Message message = parse_message(bad.line);
    EXPECT_EQ(message.kind, Message::Kind::fault) << bad.line;
    EXPECT_EQ(message.code, bad.code) << bad.line;
    EXPECT_EQ(message.id, bad.id) << bad.line;
    EXPECT_NE(message.problem, "") << bad.line;
  }
}

TEST(Message, OneThatTakesLongToReadIsRefusedUnread) {
  std::string many = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{)";
  for (int i = 0; i < 5000; ++i) {
    many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  }
  EXPECT_THAT(parse_message(many + "}}").problem, HasSubstr("too many"));
  EXPECT_EQ(parse_message(std::string(100'000, '[')).kind, Message::Kind::fault);
  const std::string text = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":")" + std::string(9000, ',') + "\"}}";
  EXPECT_EQ(parse_message(text).kind, Message::Kind::request) << "commas of a source are no parts";
  EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":")" + std::string(300, 'i') + R"(","method":"m"})").kind,
            Message::Kind::fault);
}

}  // namespace
}  // namespace assay::mcp
