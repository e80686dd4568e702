// The commands about skills, and every command line in the skills that this repository ships.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/cli/program.hpp>
#include <assay/skill/skill_testing.hpp>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class T>
T parsed_command(std::vector<const char*> words) {
  words.insert(words.begin(), {"assay", "skills"});
  const Parsed parsed = parse(static_cast<int>(words.size()), words.data());
  EXPECT_TRUE(parsed.arguments) << parsed.text;
  const T* command = parsed.arguments ? std::get_if<T>(&parsed.arguments->command) : nullptr;
  EXPECT_NE(command, nullptr);
  return command == nullptr ? T{} : *command;
}

TEST(ParseSkills, TakesTheOptionsOfEachCommand) {
  EXPECT_EQ(parsed_command<SkillsListCommand>({"list"}).from, "");
  EXPECT_EQ(parsed_command<SkillsListCommand>({"list", "--from", "d"}).from, "d");
  const auto lint = parsed_command<SkillsLintCommand>({"lint", "a", "b", "--root", "."});
  EXPECT_THAT(lint.paths, testing::ElementsAre("a", "b"));
  EXPECT_EQ(lint.root, ".");
  EXPECT_TRUE(parsed_command<SkillsLintCommand>({"lint"}).paths.empty());
  const auto install =
      parsed_command<SkillsInstallCommand>({"install", "w", "--skill", "a", "b", "--from", "d", "--force"});
  EXPECT_EQ(install.options.worktree, "w");
  EXPECT_THAT(install.options.names, testing::ElementsAre("a", "b"));
  EXPECT_EQ(install.options.from, "d");
  EXPECT_EQ(install.options.edited, skill::EditedSkill::overwrite);
  EXPECT_EQ(parsed_command<SkillsInstallCommand>({"install", "w"}).options.edited, skill::EditedSkill::refuse);
}

TEST(RefusalOf, SaysInOneLineWhatIsWrongWithACommand) {
  EXPECT_EQ(refusal_of({"assay", "doctor"}), "");
  EXPECT_EQ(refusal_of({"assay", "--help"}), "");
  EXPECT_EQ(refusal_of({"assay", "evaluate", "k.cu", "--device", "cuda:0", "--trials", "3000"}), "");
  const std::string unknown = refusal_of({"assay", "evaluate", "k.cpp", "--no-such-option"});
  EXPECT_THAT(unknown, HasSubstr("--no-such-option"));
  EXPECT_EQ(unknown.find('\n'), std::string::npos);
  EXPECT_NE(refusal_of({"assay", "evaluate", "k.cpp", "--clock", "sundial"}), "");
  EXPECT_NE(refusal_of({"assay"}), "");
}

class SkillsCommandTest : public testing::Test {
 protected:
  SkillsCommandTest() { context_.places.skills = os::Path(ASSAY_SOURCE_DIR) / "skills"; }

  [[nodiscard]] Answer act(Command command, Format format) const {
    Arguments arguments;
    arguments.command = std::move(command);
    arguments.format = format;
    auto answer = perform(arguments, context_);
    EXPECT_TRUE(answer) << answer.error().text();
    return answer ? *answer : Answer{};
  }

  service::Context context_;
};

// What breaks when an option is renamed that a skill tells an agent to use, or a file is moved.
TEST_F(SkillsCommandTest, EveryCommandAndPathInOurSkillsIsReal) {
  const Answer answer = act(SkillsLintCommand{{}, ASSAY_SOURCE_DIR}, Format::text);
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
}

TEST_F(SkillsCommandTest, ListAndInstallAnswerInTextAndInJson) {
  EXPECT_THAT(act(SkillsListCommand{}, Format::text).text,
              AllOf(HasSubstr("assay-gdn-decode"), HasSubstr("assay-promotion")));
  const base::Json list = base::Json::parse(act(SkillsListCommand{}, Format::json).text);
  EXPECT_EQ(list.size(), 12U);
  const skill::testing::SkillsFolder work;
  SkillsInstallCommand install;
  install.options.worktree = work.path().string();
  install.options.names = {"assay-hopper"};
  EXPECT_THAT(act(install, Format::text).text, HasSubstr("2 added\n"));
  const base::Json json = base::Json::parse(act(install, Format::json).text);
  EXPECT_EQ(json["installed"][1]["what"], "unchanged");
}

TEST_F(SkillsCommandTest, LintEndsWithOneIfSomethingIsWrong) {
  const skill::testing::SkillsFolder folder;
  folder.skill("one", "```sh\nassay evaluate k.cpp --polcy quick\n```\n");
  const Answer text = act(SkillsLintCommand{{folder.path("one").string()}, ""}, Format::text);
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.text, AllOf(HasSubstr("one/SKILL.md:6: this program refuses"), HasSubstr("--polcy")));
  const Answer json = act(SkillsLintCommand{{folder.path("one").string()}, ""}, Format::json);
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(base::Json::parse(json.text)["skills"][0]["problems"][0]["code"], "skill.command");
}

}  // namespace
}  // namespace assay::cli
