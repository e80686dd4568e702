#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include <assay/cli/arguments.hpp>

namespace assay::cli {
namespace {

using ::testing::HasSubstr;

McpCommand parsed_mcp(std::vector<const char*> words) {
  words.insert(words.begin(), {"assay", "mcp"});
  const Parsed parsed = parse(static_cast<int>(words.size()), words.data());
  EXPECT_TRUE(parsed.arguments) << parsed.text;
  return parsed.arguments ? std::get<McpCommand>(parsed.arguments->command) : McpCommand{};
}

TEST(McpCommand, ANameAloneMeansACampaignThatIsThere) {
  const McpCommand command = parsed_mcp({"--campaign", "night"});
  EXPECT_EQ(command.options.name, "night");
  EXPECT_EQ(command.options.agent.word, "mcp");
  EXPECT_EQ(command.options.candidates_per_round, 1) << "each submission is judged as it comes";
  EXPECT_FALSE(command.configured);
}

TEST(McpCommand, AnyOptionOfACampaignSaysHowToMakeIt) {
  for (const char* option : {"--definition", "--baseline", "--policy", "--device"}) {
    EXPECT_TRUE(parsed_mcp({"--campaign", "night", option, "cpu"}).configured) << option;
  }
  const McpCommand command = parsed_mcp({"--campaign", "night", "--submissions", "7"});
  EXPECT_TRUE(command.configured);
  EXPECT_EQ(command.options.rounds, 7);
}

TEST(McpCommand, InsideASandboxItOnlyConnects) {
  EXPECT_EQ(parsed_mcp({"--connect", "/assay-tools/tools"}).connect, "/assay-tools/tools");
  EXPECT_NE(refusal_of({"assay", "mcp", "--connect", "/x", "--campaign", "night"}), "");
}

TEST(McpCommand, WhatIsMissingOrTooMuchIsTold) {
  EXPECT_THAT(refusal_of({"assay", "mcp"}), HasSubstr("--campaign"));
  EXPECT_NE(refusal_of({"assay", "mcp", "--campaign", "night", "--submissions", "0"}), "");
  EXPECT_NE(refusal_of({"assay", "mcp", "--campaign", "night", "--json"}), "") << "stdout is the protocol's";
}

}  // namespace
}  // namespace assay::cli
