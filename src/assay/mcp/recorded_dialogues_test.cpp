// The dialogues that were recorded of Codex 0.171.0 and Claude Code 2.1.332 with a server that spoke as they wanted: their lines
// are played, and the answers held against those that they were content with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/mcp/fake_toolbox.hpp>
#include <assay/mcp/session.hpp>
#include <assay/os/file.hpp>

namespace assay::mcp {
namespace {

using Unordered = nlohmann::json;  // The order of keys is nobody's business.
using ::testing::HasSubstr;

const os::Path kFolder = os::Path(ASSAY_SOURCE_DIR) / "tests/data/mcp_dialogues";

struct Spoken {
  bool by_client = false;
  Unordered message;
};

std::vector<Spoken> dialogue(const std::string& name) {
  std::vector<Spoken> spoken;
  for (const std::string& line : base::split(os::read_file(kFolder / name).value(), '\n')) {
    if (line.starts_with("C->S ") || line.starts_with("S->C ")) {
      spoken.push_back({line.starts_with("C"), Unordered::parse(line.substr(5))});
    }
  }
  EXPECT_FALSE(spoken.empty()) << name;
  return spoken;
}

bool is_result(const Spoken& one) { return !one.by_client && one.message.contains("result"); }

// What each server may say of itself in its own words.
Unordered without_names(Unordered message) {
  Unordered& result = message["result"];
  result.erase("instructions");
  result.erase("serverInfo");
  result.erase("_meta");
  result.erase("ttlMs");
  return message;
}

// Plays the client's lines; afterwards time passes until nothing waits. Returns the answers by their ids.
std::map<std::string, Unordered> play(const std::vector<Spoken>& spoken, std::vector<Unordered>& progress,
                                      testing::FakeToolbox& toolbox) {
  std::map<std::string, Unordered> answers;
  Session session(toolbox, "0.1.0", [&](const std::string& line) {
    Unordered message = Unordered::parse(line);
    if (message.contains("id")) {
      const std::string id = message["id"].dump();
      answers[id] = std::move(message);
    } else {
      progress.push_back(std::move(message));
    }
  });
  Session::Time now{};
  for (const Spoken& one : spoken) {
    if (one.by_client) {
      session.receive(one.message.dump(), now);
      for (int i = 0; i < 5 && one.message["method"] == "tools/call"; ++i) {
        now += std::chrono::seconds(1);
        session.look_after(now);
      }
    }
  }
  session.look_after(now + std::chrono::hours(1));
  return answers;
}

class RecordedDialogueTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RecordedDialogueTest, TheClientGetsWhatItWasContentWith) {
  const std::vector<Spoken> spoken = dialogue(GetParam());
  testing::FakeToolbox toolbox;
  for (const Spoken& one : spoken) {
    if (is_result(one) && one.message["result"].contains("tools")) {
      toolbox.tools = base::Json::parse(one.message["result"]["tools"].dump());  // They were recorded with several.
    }
  }
  std::vector<Unordered> progress;
  const auto answers = play(spoken, progress, toolbox);
  int compared = 0;
  for (const Spoken& one : spoken) {
    if (is_result(one)) {
      const auto found = answers.find(one.message["id"].dump());
      ASSERT_NE(found, answers.end()) << one.message;
      EXPECT_EQ(without_names(found->second), without_names(one.message));
      ++compared;
    }
  }
  EXPECT_GE(compared, 2);
  for (const Unordered& one : progress) {
    EXPECT_TRUE(one["params"]["progressToken"].is_number()) << one;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecordedDialogueTest,
                         ::testing::Values("claude_mcp.log", "claude_mcp_dual.log", "claude_mcp_ts.log",
                                           "codex_mcp.log", "codex_mcp_noann.log", "codex_mcpdual.log",
                                           "codex_mcpdual_na.log", "codex_mcpdual_new.log"),
                         [](const auto& tested) { return tested.param.substr(0, tested.param.find('.')); });

TEST(RecordedDialogues, ClaudesProbeIsAnsweredInTheNewWay) {
  testing::FakeToolbox toolbox;
  std::vector<Unordered> progress;
  auto answers = play(dialogue("claude_mcp.log"), progress, toolbox);
  const Unordered& probed = answers["\"server-discover-probe-1\""];
  EXPECT_EQ(probed["result"]["resultType"], "complete") << "the server that it was recorded with knew no such method";
}

TEST(RecordedDialogues, ACancelledCallIsNeverAnswered) {
  for (const char* name : {"claude_mcp_dual_to.log", "codex_mcpdual_to.log"}) {
    const std::vector<Spoken> spoken = dialogue(name);
    testing::FakeToolbox toolbox;
    toolbox.looks = 100;
    std::vector<Unordered> progress;
    const auto answers = play(spoken, progress, toolbox);
    std::string called;
    for (const Spoken& one : spoken) {
      if (one.by_client && one.message["method"] == "tools/call") {
        called = one.message["id"].dump();
      }
    }
    EXPECT_FALSE(answers.contains(called)) << name;
    EXPECT_GE(progress.size(), 3U) << name;
    EXPECT_THAT(
        toolbox.callers[0],
        HasSubstr(std::string_view(name).starts_with("claude") ? "claude-code 2.1.332" : "codex-mcp-client 0.171.0"));
  }
}

}  // namespace
}  // namespace assay::mcp
