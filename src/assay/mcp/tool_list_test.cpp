#include <assay/mcp/tool_list.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include <assay/agent/prompt.hpp>
#include <assay/base/text.hpp>
#include <assay/os/file.hpp>

namespace assay::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const base::Json& tool : campaign_tool_list()) {
    result.push_back(tool["name"]);
  }
  return result;
}

TEST(ToolList, HasItsToolsInTheirOrder) {
  EXPECT_THAT(names(), ::testing::ElementsAre("get_task", "get_state", "submit_candidate", "wait_for_job", "get_result",
                                              "get_profile", "compare", "list_failed_routes", "search_history",
                                              "propose_hypothesis"));
}

TEST(ToolList, EveryToolIsDescribedBoundedAndHarmless) {
  for (const base::Json& tool : campaign_tool_list()) {
    const std::string name = tool["name"];
    EXPECT_GT(tool["description"].get<std::string>().size(), 30U) << name;
    EXPECT_EQ(tool["inputSchema"]["type"], "object") << name;
    EXPECT_EQ(tool["inputSchema"]["additionalProperties"], false) << name;
    EXPECT_EQ(tool["outputSchema"]["type"], "object") << name;
    // Codex refuses a tool without these when nobody can be asked.
    EXPECT_EQ(tool["annotations"]["destructiveHint"], false) << name;
    EXPECT_EQ(tool["annotations"]["openWorldHint"], false) << name;
    const bool adds = name == "submit_candidate" || name == "propose_hypothesis";
    EXPECT_EQ(tool["annotations"]["readOnlyHint"], !adds) << name;
  }
}

TEST(ToolList, NoToolApprovesOrTakesWhatDecides) {
  for (const base::Json& tool : campaign_tool_list()) {
    const std::string input = base::dump_compact(tool["inputSchema"]["properties"]);
    for (const char* word : {"seed", "toleran", "policy", "approve", "expected", "promote", "workload", "device"}) {
      EXPECT_THAT(input, Not(HasSubstr(word))) << tool["name"];
    }
    EXPECT_THAT(tool["name"].get<std::string>(), Not(HasSubstr("approve")));
  }
}

TEST(ToolList, ThePromptOfAnAgentThatHasThemNamesEachTool) {
  agent::Situation situation;
  situation.tools = true;
  const std::string prompt = agent::render_prompt(situation);
  for (const std::string& name : names()) {
    EXPECT_THAT(prompt, HasSubstr("`" + name + "`"));
  }
}

TEST(ToolList, TheDocumentationNamesEachTool) {
  const std::string page = os::read_file(os::Path(ASSAY_SOURCE_DIR) / "docs/mcp.md").value();
  for (const std::string& name : names()) {
    EXPECT_THAT(page, HasSubstr("`" + name + "`"));
  }
}

}  // namespace
}  // namespace assay::mcp
