// The skills that this repository ships: sound, and small enough for all agents that read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/skill/check.hpp>

namespace assay::skill {
namespace {

using ::testing::ElementsAre;

// What Codex gives to the names and descriptions of all skills together before it cuts them.
constexpr std::size_t kMostListedCharacters = 8000;

std::vector<CheckedSkill> shipped_skills() {
  const os::Path root = ASSAY_SOURCE_DIR;
  const auto folders = find_skill_folders(root / "skills");
  EXPECT_TRUE(folders) << folders.error().text();
  std::vector<CheckedSkill> skills;
  for (const os::Path& folder : *folders) {
    skills.push_back(check_skill(folder, {root, {}}));
  }
  return skills;
}

TEST(ShippedSkills, AreSound) {
  std::size_t commands = 0;
  std::size_t paths = 0;
  for (const CheckedSkill& checked : shipped_skills()) {
    for (const Problem& problem : checked.problems) {
      ADD_FAILURE() << problem.text();
    }
    EXPECT_EQ(checked.skill.license, "Apache-2.0") << checked.skill.name;
    commands += checked.commands;
    paths += checked.paths;
  }
  EXPECT_GT(commands, 30U) << "the check looks at something";
  EXPECT_GT(paths, 50U);
}

TEST(ShippedSkills, AreOneForEachOperatorAndTargetAndForTheWork) {
  std::vector<std::string> names;
  std::size_t listed = 0;
  for (const CheckedSkill& checked : shipped_skills()) {
    names.push_back(checked.skill.name);
    listed += checked.skill.name.size() + checked.skill.description.size();
  }
  EXPECT_THAT(names,
              ElementsAre("assay-blackwell", "assay-cpu-avx", "assay-dsa-sparse-attention", "assay-dsa-topk-indexer",
                          "assay-gdn-decode", "assay-gdn-prefill", "assay-hopper", "assay-kernel-optimizer",
                          "assay-moe-fp8", "assay-profiling", "assay-promotion", "assay-submission"));
  EXPECT_LT(listed, kMostListedCharacters);
}

}  // namespace
}  // namespace assay::skill
