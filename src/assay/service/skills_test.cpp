#include <assay/service/skills.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/skill/skill_testing.hpp>

namespace assay::service {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class SkillsTest : public testing::Test {
 protected:
  SkillsTest() {
    folder_.skill("one");
    folder_.skill("two", "```sh\nassay doctor\n```\n");
    EXPECT_TRUE(os::create_directories(work_.path("tree")));
    context_.places.skills = folder_.path();
  }

  skill::testing::SkillsFolder folder_;
  skill::testing::SkillsFolder work_;
  Context context_;
};

TEST_F(SkillsTest, AreListedWithWhatTheySay) {
  folder_.write("three/SKILL.md", "no front matter");
  const auto skills = list_skills(context_, "");
  ASSERT_TRUE(skills) << skills.error().text();
  const base::Json json = encode_list(*skills);
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["name"], "one");
  EXPECT_EQ(json[0]["sound"], true);
  EXPECT_THAT(json[0]["description"].get<std::string>(), HasSubstr("Use when"));
  EXPECT_EQ(json[1]["name"], "three");
  EXPECT_EQ(json[1]["sound"], false);
}

TEST_F(SkillsTest, WithoutAFolderTheTriedOnesAreTold) {
  context_.places.skills.clear();
  context_.places.skills_candidates = {"/a/skills", "/b/skills"};
  const auto none = list_skills(context_, "");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, AllOf(HasSubstr("/a/skills, /b/skills"), HasSubstr("ASSAY_SKILLS")));
  EXPECT_TRUE(list_skills(context_, folder_.path().string()));
  EXPECT_EQ(list_skills(context_, work_.path("tree").string()).error().code, "skill.none");
}

TEST_F(SkillsTest, LintHasEveryProblemWithItsPlace) {
  skill::CheckAgainst against;
  against.refusal = [](const std::vector<std::string>& /*words*/) { return std::string("no such command"); };
  const auto checked = lint_skills(context_, {}, against);
  ASSERT_TRUE(checked) << checked.error().text();
  EXPECT_EQ(problem_count(*checked), 1U);
  const base::Json json = encode_lint(*checked);
  EXPECT_EQ(json["sound"], false);
  EXPECT_EQ(json["skills"][0]["problems"], base::Json::array());
  const base::Json& problem = json["skills"][1]["problems"][0];
  EXPECT_EQ(problem["code"], "skill.command");
  EXPECT_EQ(problem["line"], 6);
  EXPECT_EQ(problem["file"], folder_.path("two/SKILL.md").string());
  EXPECT_THAT(problem["message"].get<std::string>(), HasSubstr("no such command"));
  EXPECT_EQ(json["skills"][1]["commands"], 1);
  EXPECT_EQ(lint_skills(context_, {folder_.path("one").string(), folder_.path("two").string()}, {})->size(), 2U);
  EXPECT_FALSE(lint_skills(context_, {folder_.path("gone").string()}, {}));
}

TEST_F(SkillsTest, InstallTakesAllOrThoseThatAreNamed) {
  SkillInstallOptions options;
  options.worktree = work_.path("tree").string();
  options.names = {"two"};
  const auto one = install_skills(context_, options);
  ASSERT_TRUE(one) << one.error().text();
  const base::Json json = encode(*one);
  ASSERT_EQ(json["installed"].size(), 2U);
  EXPECT_EQ(json["installed"][0]["skill"], "two");
  EXPECT_EQ(json["installed"][0]["what"], "added");
  EXPECT_TRUE(std::filesystem::exists(work_.path("tree/.claude/skills/two/SKILL.md")));
  EXPECT_FALSE(std::filesystem::exists(work_.path("tree/.claude/skills/one")));
  options.names.clear();
  EXPECT_EQ(install_skills(context_, options)->size(), 4U);
}

TEST_F(SkillsTest, InstallRefusesUnknownNamesAndUnsoundSkills) {
  SkillInstallOptions options;
  options.worktree = work_.path("tree").string();
  options.names = {"tow"};
  EXPECT_THAT(install_skills(context_, options).error().message, HasSubstr("did you mean two?"));
  options.names.clear();
  folder_.write("bad/SKILL.md", "---\nname: bad\n---\nx\n");
  const auto unsound = install_skills(context_, options);
  ASSERT_FALSE(unsound);
  EXPECT_THAT(unsound.error().message, AllOf(HasSubstr("bad/SKILL.md:1: /description: "), HasSubstr("skills lint")));
  EXPECT_FALSE(std::filesystem::exists(work_.path("tree/.claude")));
  options.names = {"one"};
  EXPECT_TRUE(install_skills(context_, options)) << "what is not chosen is in nobody's way";
}

}  // namespace
}  // namespace assay::service
