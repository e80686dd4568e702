#include <assay/cli/print_skills.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

skill::CheckedSkill checked_sample(const std::string& name) {
  skill::CheckedSkill checked;
  checked.folder.name = name;
  checked.skill.description = "Does it. Use when it is to be done.";
  checked.commands = 2;
  checked.paths = 1;
  return checked;
}

TEST(PrintSkillList, HasARowASkill) {
  skill::CheckedSkill bad = checked_sample("two");
  bad.problems = {{"skill.name", "f", 2, "/name", "is wrong"}};
  const std::string text = print_skill_list({checked_sample("one"), bad}, report::Colour::off);
  EXPECT_THAT(text, AllOf(testing::ContainsRegex("one +Does it. Use when it is to be done. +yes\n"),
                          testing::ContainsRegex("two +Does it. .* +no\n")));
}

TEST(PrintSkillLint, TellsEveryProblemAndWhatWasLookedAt) {
  EXPECT_EQ(print_skill_lint({checked_sample("one")}), "1 skill, 2 commands and 1 path in them: all sound\n");
  skill::CheckedSkill bad = checked_sample("two");
  bad.problems = {{"skill.name", "two/SKILL.md", 2, "/name", "is wrong \x1b[31m: mend it"}};
  const std::string text = print_skill_lint({checked_sample("one"), bad});
  EXPECT_THAT(text, AllOf(HasSubstr("two/SKILL.md:2: /name: is wrong"), Not(HasSubstr("\x1b")),
                          EndsWith("2 skills, 4 commands and 2 paths in them: 1 problem\n")));
  bad.problems.push_back(bad.problems[0]);
  EXPECT_THAT(print_skill_lint({bad}), EndsWith("2 problems\n"));
}

TEST(PrintSkillInstallation, SaysWhatBecameOfEach) {
  EXPECT_EQ(print_skill_installation({{"one", "w/.agents/skills/one", skill::PlacedSkill::added},
                                      {"two", "w/.agents/skills/two", skill::PlacedSkill::unchanged},
                                      {"two", "w/.claude/skills/two", skill::PlacedSkill::added}}),
            "added       w/.agents/skills/one\nunchanged   w/.agents/skills/two\nadded       w/.claude/skills/two\n"
            "2 added, 1 unchanged\n");
}

}  // namespace
}  // namespace assay::cli
