#include <assay/skill/folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/skill/skill_testing.hpp>

namespace assay::skill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SkillFolderTest, HasEveryFileWhole) {
  const testing::SkillsFolder place;
  place.skill("one");
  const os::Path script = place.write("one/scripts/run.sh", "#!/bin/sh\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
  const SkillFolder folder = read_skill_folder(place.path("one/"));
  EXPECT_EQ(folder.name, "one");
  ASSERT_EQ(folder.files.size(), 2U);
  EXPECT_EQ(folder.files[0].path, "SKILL.md");
  EXPECT_FALSE(folder.files[0].executable);
  EXPECT_EQ(folder.files[1].path, "scripts/run.sh");
  EXPECT_TRUE(folder.files[1].executable);
  EXPECT_EQ(folder.find("scripts/run.sh")->content, "#!/bin/sh\n");
  EXPECT_EQ(folder.find("run.sh"), nullptr);
  EXPECT_TRUE(folder.problems.empty());
}

TEST(SkillFolderTest, FollowsNoLink) {
  const testing::SkillsFolder place;
  place.skill("one");
  std::filesystem::create_symlink("/etc/hostname", place.path("one/stolen.md"));
  std::filesystem::create_directory_symlink("/etc", place.path("one/etc"));
  const SkillFolder folder = read_skill_folder(place.path("one"));
  EXPECT_EQ(folder.files.size(), 1U);
  ASSERT_EQ(folder.problems.size(), 2U);
  EXPECT_THAT(folder.problems[1].text(), HasSubstr("one/stolen.md: is a link"));
}

TEST(SkillFolderTest, IsBounded) {
  const testing::SkillsFolder place;
  place.write("big/a.md", std::string(kLargestSkillFile + 1, 'x'));
  EXPECT_THAT(read_skill_folder(place.path("big")).problems.at(0).message, HasSubstr("larger than"));
  place.write("deep/1/2/3/4/5/a.md", "x");
  EXPECT_THAT(read_skill_folder(place.path("deep")).problems.at(0).message, HasSubstr("deeper"));
  for (std::size_t i = 0; i < kMostSkillFiles + 3; ++i) {
    place.write("many/" + std::to_string(i), "");
  }
  const SkillFolder many = read_skill_folder(place.path("many"));
  EXPECT_EQ(many.files.size(), kMostSkillFiles);
  EXPECT_EQ(many.problems.size(), 1U) << "said once";
}

TEST(FindSkillFolders, TakesASkillOrAFolderOfSkills) {
  const testing::SkillsFolder place;
  place.skill("b");
  place.skill("a");
  place.write("README.md", "no skill");
  place.write(".hidden/SKILL.md", "");
  place.write("broken/notes.md", "a folder without a SKILL.md is looked at, so that it can be reported");
  EXPECT_THAT(*find_skill_folders(place.path()), ElementsAre(place.path("a"), place.path("b"), place.path("broken")));
  EXPECT_THAT(*find_skill_folders(place.path("a")), ElementsAre(place.path("a")));
  const auto none = find_skill_folders(place.path("broken"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "skill.none");
  EXPECT_THAT(none.error().message, HasSubstr(place.path("broken").string()));
  EXPECT_EQ(find_skill_folders(place.path("gone")).error().owner, base::Owner::input);
}

}  // namespace
}  // namespace assay::skill
