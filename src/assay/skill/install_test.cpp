#include <assay/skill/install.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/skill/skill_testing.hpp>

namespace assay::skill {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class InstallTest : public ::testing::Test {
 protected:
  InstallTest() {
    source_.skill("one");
    source_.write("one/references/more.md", "More.\n");
    source_.skill("two");
    EXPECT_TRUE(os::create_directories(tree_.path("work")));
  }

  [[nodiscard]] base::Result<std::vector<Placement>> install(EditedSkill edited = EditedSkill::refuse) const {
    return install_skills({read_skill_folder(source_.path("one")), read_skill_folder(source_.path("two"))},
                          tree_.path("work"), edited);
  }
  [[nodiscard]] std::vector<std::string> placed(EditedSkill edited = EditedSkill::refuse) const {
    const auto result = install(edited);
    EXPECT_TRUE(result) << result.error().text();
    std::vector<std::string> words;
    for (const Placement& placement : result ? *result : std::vector<Placement>{}) {
      words.emplace_back(to_string(placement.placed));
    }
    return words;
  }
  [[nodiscard]] std::string read(const std::string& file) const {
    return os::read_file(tree_.path("work/" + file)).value_or("nothing");
  }

  testing::SkillsFolder source_;
  testing::SkillsFolder tree_;
};

TEST_F(InstallTest, CopiesEverySkillToEveryPlace) {
  EXPECT_THAT(placed(), ElementsAre("added", "added", "added", "added"));
  for (const std::string place : {".agents", ".claude"}) {
    EXPECT_EQ(read(place + "/skills/one/references/more.md"), "More.\n");
    EXPECT_EQ(read(place + "/skills/two/SKILL.md"), os::read_file(source_.path("two/SKILL.md")).value());
    EXPECT_THAT(os::list_directory(tree_.path("work/" + place + "/skills")).value(),
                ElementsAre(".assay-installed.json", "one", "two"))
        << "no temporary is left";
  }
  EXPECT_THAT(placed(), ElementsAre("unchanged", "unchanged", "unchanged", "unchanged"));
}

TEST_F(InstallTest, AnOlderVersionIsUpdatedWithFilesThatWentAway) {
  ASSERT_TRUE(install());
  std::filesystem::remove(source_.path("one/references/more.md"));
  source_.skill("one", "Do it otherwise.\n");
  EXPECT_THAT(placed(), ElementsAre("updated", "unchanged", "updated", "unchanged"));
  EXPECT_THAT(read(".claude/skills/one/SKILL.md"), HasSubstr("otherwise"));
  EXPECT_EQ(read(".claude/skills/one/references/more.md"), "nothing");
}

TEST_F(InstallTest, EditedFilesAreKeptAndNamedAndNothingIsInstalled) {
  ASSERT_TRUE(install());
  tree_.write("work/.claude/skills/one/SKILL.md", "mine");
  tree_.write("work/.agents/skills/two/notes.md", "mine too");
  source_.skill("two", "Newer.\n");
  const auto refused = install();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::input);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr(".claude/skills/one: SKILL.md was edited"),
                    HasSubstr(".agents/skills/two: notes.md was added"), HasSubstr("--force")));
  EXPECT_EQ(read(".claude/skills/one/SKILL.md"), "mine");
  EXPECT_THAT(read(".claude/skills/two/SKILL.md"), Not(HasSubstr("Newer")));
  EXPECT_THAT(placed(EditedSkill::overwrite), ElementsAre("unchanged", "overwritten", "overwritten", "updated"));
  EXPECT_THAT(read(".claude/skills/one/SKILL.md"), HasSubstr("Do it."));
  EXPECT_EQ(read(".agents/skills/two/notes.md"), "nothing");
}

TEST_F(InstallTest, SkillsOfOthersAreLeftAlone) {
  tree_.write("work/.claude/skills/theirs/SKILL.md", "theirs");
  tree_.write("work/.claude/skills/two/SKILL.md", "another two");
  const auto refused = install();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(".claude/skills/two: was not put there by this command"));
  std::filesystem::remove_all(tree_.path("work/.claude/skills/two"));
  ASSERT_TRUE(install());
  EXPECT_EQ(read(".claude/skills/theirs/SKILL.md"), "theirs");
}

TEST_F(InstallTest, WhatAKilledInstallationLeftIsFinished) {
  ASSERT_TRUE(install());
  std::filesystem::remove(tree_.path("work/.claude/skills/.assay-installed.json"));
  std::filesystem::remove_all(tree_.path("work/.claude/skills/one"));
  EXPECT_THAT(placed(), ElementsAre("unchanged", "unchanged", "added", "unchanged"));
  tree_.write("work/.claude/skills/.assay-installed.json", "{");
  const auto damaged = install();
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr(".assay-installed.json is no JSON: remove it"));
  tree_.write("work/.claude/skills/.assay-installed.json", R"({"version": 1, "skills": {"one": {"f": 3}}})");
  EXPECT_FALSE(install());
  tree_.write("work/.claude/skills/.assay-installed.json", R"({"version": 2, "skills": {}})");
  EXPECT_FALSE(install());
}

TEST_F(InstallTest, NothingIsWrittenThroughALink) {
  std::filesystem::create_directory_symlink(tree_.path("elsewhere"), tree_.path("work/.claude"));
  ASSERT_TRUE(os::create_directories(tree_.path("elsewhere")));
  const auto outside = install();
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().message, AllOf(HasSubstr("leads out of"), HasSubstr(".claude")));
  EXPECT_THAT(os::list_directory(tree_.path("elsewhere")).value(), ElementsAre());
  std::filesystem::remove(tree_.path("work/.claude"));
  ASSERT_TRUE(os::create_directories(tree_.path("work/.agents")));
  std::filesystem::create_directory_symlink(".agents", tree_.path("work/.claude"));
  EXPECT_THAT(placed(), ElementsAre("added", "added")) << "two names of one place are served once";
  std::filesystem::remove_all(tree_.path("work/.agents/skills/one"));
  std::filesystem::create_directory_symlink(tree_.path("elsewhere"), tree_.path("work/.agents/skills/one"));
  EXPECT_EQ(install(EditedSkill::overwrite).error().code, "skill.in_the_way");
}

TEST_F(InstallTest, WantsAFolderToInstallInto) {
  const auto missing = install_skills({}, tree_.path("gone"), EditedSkill::refuse);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().owner, base::Owner::input);
  EXPECT_FALSE(std::filesystem::exists(tree_.path("gone")));
}

TEST_F(InstallTest, ScriptsStayExecutable) {
  const os::Path script = source_.write("one/run.sh", "#!/bin/sh\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
  ASSERT_TRUE(install());
  const auto perms = std::filesystem::status(tree_.path("work/.claude/skills/one/run.sh")).permissions();
  EXPECT_NE(perms & std::filesystem::perms::owner_exec, std::filesystem::perms::none);
}

}  // namespace
}  // namespace assay::skill
