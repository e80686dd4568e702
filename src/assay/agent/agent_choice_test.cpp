#include <assay/agent/agent_choice.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace assay::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

// A PATH with programs of these names, which are never run here.
class AgentChoiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.emplace(os::TemporaryDirectory::create(::testing::TempDir(), "assay-path-").value());
    for (const char* name : {"codex", "claude", "mine"}) {
      ASSERT_TRUE(os::write_file_atomic(folder_->path() / name, "#!/bin/sh\n"));
      std::filesystem::permissions(folder_->path() / name, std::filesystem::perms::owner_all);
    }
    const char* path = std::getenv("PATH");
    before_ = path == nullptr ? "" : path;
    ::setenv("PATH", folder_->path().c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", before_.c_str(), 1); }

  static base::Result<AgentProgram> make(const AgentChoice& choice) {
    return make_agent_program(choice, "/agent", "read PROMPT.md",
                              [](const std::string& name) { return std::optional<std::string>("value of " + name); });
  }

  std::optional<os::TemporaryDirectory> folder_;
  std::string before_;
};

TEST_F(AgentChoiceTest, CodexIsToldToTellEventsAndGetsItsKeysAlone) {
  const auto program = make({"codex", "gpt-5.3-codex", std::nullopt});
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_EQ(program->dialect, Dialect::codex);
  EXPECT_EQ(program->network, Network::host);
  EXPECT_THAT(program->argv, Contains("--json"));
  EXPECT_THAT(program->argv, Contains("gpt-5.3-codex"));
  EXPECT_EQ(program->argv.back(), "read PROMPT.md");
  EXPECT_THAT(program->environment, Contains(Pair("OPENAI_API_KEY", "value of OPENAI_API_KEY")));
  EXPECT_THAT(program->environment, Contains(Pair("CODEX_HOME", "/agent/.home")));
  EXPECT_THAT(program->environment, Not(Contains(Key("ANTHROPIC_API_KEY"))));
  EXPECT_THAT(program->environment, Not(Contains(Pair("HOME", "value of HOME"))));
}

TEST_F(AgentChoiceTest, ClaudeKeepsToALimitOfDollars) {
  const auto program = make({"claude", "", 0.25});
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_EQ(program->dialect, Dialect::claude);
  EXPECT_THAT(program->argv, Contains("0.2500"));
  EXPECT_THAT(program->argv, Contains("--verbose"));  // Without it stream-json is refused.
  EXPECT_THAT(program->argv, Not(Contains("--model")));
  EXPECT_THAT(program->environment, Not(Contains(Key("OPENAI_API_KEY"))));
}

TEST_F(AgentChoiceTest, ASchemaIsGivenAsEachProgramTakesIt) {
  const auto codex = make({"codex", "", std::nullopt, R"({"type": "object"})"});
  ASSERT_TRUE(codex);
  const auto at = std::find(codex->argv.begin(), codex->argv.end(), "--output-schema");
  ASSERT_NE(at, codex->argv.end());
  EXPECT_EQ(*std::next(at), "/agent/schema.json");
  EXPECT_EQ(codex->argv.back(), "read PROMPT.md");
  const auto claude = make({"claude", "", std::nullopt, R"({"type": "object"})"});
  ASSERT_TRUE(claude);
  EXPECT_THAT(claude->argv, Contains("--json-schema"));
  EXPECT_THAT(claude->argv, Contains(R"({"type": "object"})"));
  EXPECT_THAT(make({"claude", "", std::nullopt})->argv, Not(Contains("--json-schema")));
}

TEST_F(AgentChoiceTest, ToolsAreGivenAsEachProgramTakesThem) {
  AgentChoice choice{"codex", "", std::nullopt};
  choice.tools = ToolServer{
      "/opt/assay", {"mcp", "--connect", "/tools/\"socket\""}, {{"/run/x", "/tools", os::SandboxBind::Use::read}}};
  const auto codex = make(choice);
  ASSERT_TRUE(codex) << codex.error().text();
  EXPECT_THAT(codex->argv, Contains(HasSubstr(R"(args=["mcp","--connect","/tools/\"socket\""],required=true)")));
  ASSERT_EQ(codex->binds.size(), 2U);
  EXPECT_EQ(codex->binds[0].inside, "/opt/assay");
  EXPECT_EQ(codex->argv.back(), "read PROMPT.md");
  choice.word = "claude";
  const auto claude = make(choice);
  ASSERT_TRUE(claude) << claude.error().text();
  EXPECT_THAT(claude->argv, Contains(HasSubstr(R"({"mcpServers":{"assay":{"command":"/opt/assay","args":["mcp",)")));
  choice.word = "command:mine";
  EXPECT_EQ(make(choice).error().code, "agent.no_tools");
}

TEST_F(AgentChoiceTest, AnyProgramGetsThePromptAndNoNetworkAndNoKeys) {
  const auto program = make({"command:mine", "", std::nullopt});
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_EQ(program->name, "mine");
  EXPECT_FALSE(program->dialect);
  EXPECT_EQ(program->network, Network::none);
  EXPECT_EQ(program->argv.size(), 2U);
  for (const auto& [name, value] : program->environment) {
    EXPECT_THAT(value, Not(HasSubstr("value of"))) << name;
  }
}

TEST_F(AgentChoiceTest, WhatIsNotKnownIsRefused) {
  for (const char* word : {"", "gemini", "command:", "command:no-such-program", "Codex"}) {
    const auto program = make({word, "", std::nullopt});
    ASSERT_FALSE(program) << word;
    EXPECT_EQ(program.error().owner, base::Owner::input) << word;
  }
}

}  // namespace
}  // namespace assay::agent
