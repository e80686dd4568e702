#include <assay/skill/check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/skill/skill_testing.hpp>

namespace assay::skill {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kDescription = "description: Does it. Use when it is to be done.\n";

class CheckSkillTest : public ::testing::Test {
 protected:
  // What is wrong with a skill "x" of this front matter and body.
  std::vector<std::string> problems(const std::string& front, const std::string& body = "Do it.\n") {
    place_.write("x/SKILL.md", "---\n" + front + "---\n" + body);
    return all(check_skill(place_.path("x"), against_));
  }
  [[nodiscard]] std::vector<std::string> all(const CheckedSkill& checked) const {
    std::vector<std::string> texts;
    for (const Problem& problem : checked.problems) {
      std::string text = problem.text();
      const std::string folder = place_.path().string();
      texts.push_back(text.starts_with(folder) ? text.substr(folder.size()) : text);
    }
    return texts;
  }

  testing::SkillsFolder place_;
  CheckAgainst against_;
};

TEST_F(CheckSkillTest, ASkillThatIsRightHasEverythingRead) {
  place_.write("x/references/more.md", "More.\n");
  place_.write("x/LICENSE.txt", "");
  place_.write("x/scripts/run.sh", "");
  const std::string front = "name: x\n" + std::string(kDescription) +
                            "license: LICENSE.txt\ncompatibility: Any.\nallowed-tools: Bash Read\n"
                            "metadata:\n  author: us\n";
  EXPECT_THAT(problems(front, "See [more](references/more.md), run `scripts/run.sh`.\n"), IsEmpty());
  const CheckedSkill checked = check_skill(place_.path("x"), {});
  EXPECT_EQ(checked.skill.name, "x");
  EXPECT_EQ(checked.skill.description, "Does it. Use when it is to be done.");
  EXPECT_EQ(checked.skill.license, "LICENSE.txt");
  EXPECT_EQ(checked.skill.compatibility, "Any.");
  EXPECT_EQ(checked.skill.allowed_tools, "Bash Read");
  ASSERT_EQ(checked.skill.metadata.size(), 1U);
  EXPECT_EQ(checked.skill.metadata[0].second, "us");
  EXPECT_EQ(checked.skill.body_lines, 1U);
}

TEST_F(CheckSkillTest, NamesFileLineFieldAndRemedy) {
  EXPECT_THAT(problems("name: other\n" + std::string(kDescription)),
              ElementsAre("/x/SKILL.md:2: /name: must be the folder's name: write x, or rename the folder"));
  EXPECT_THAT(problems("name: x\n"),
              ElementsAre("/x/SKILL.md:1: /description: is missing: add it to the front matter"));
}

TEST_F(CheckSkillTest, HoldsFieldsToTheFormat) {
  const auto only = [&](const std::string& front, const std::string& part) {
    EXPECT_THAT(problems(front), ElementsAre(HasSubstr(part))) << front;
  };
  const std::string name = "name: x\n";
  const std::string good = name + kDescription;
  only("name: X\n" + std::string(kDescription), "/name: has other characters");
  only("name: -x\n" + std::string(kDescription), "/name: begins or ends with -");
  only("name: x--y\n" + std::string(kDescription), "two in a row");
  only("name: " + std::string(65, 'x') + "\n" + kDescription, "/name: has 65 characters, 64 at most");
  only("name: 12\n" + std::string(kDescription), "/name: is 12 without quotes");
  only(name + "description: \"\"\n", "/description: is empty");
  only(name + "description:\n", "/description: has no value");
  only(name + "description: Whenever it is.\n", "/description: does not say when");
  only(name + "description: Use when " + std::string(1016, 'x') + "\n", "1024 at most");
  only(good + "compatibility: " + std::string(501, 'x') + "\n", "/compatibility: has 501 characters, 500 at most");
  only(good + "metadata: text\n", "/metadata: is no map");
  only(good + "metadata:\n  version: 1.0\n", "SKILL.md:5: /metadata/version: is not text");
  only(good + "licence: Apache-2.0\n", "/licence: is no field of the format: did you mean license?");
  only(good + "unheard-of: x\n", "put it into metadata");
  only(good + "license:\n  a: b\n", "/license: is a map");
  // Characters, not bytes.
  EXPECT_THAT(problems(name + "description: Use when " + std::string(1015, 'x') + "\n"), IsEmpty());
  std::string accents;
  for (int i = 0; i < 1015; ++i) {
    accents += "é";
  }
  EXPECT_THAT(problems(name + "description: Use when " + accents + "\n"), IsEmpty());
}

TEST_F(CheckSkillTest, ABrokenFrontMatterDoesNotHideTheRest) {
  EXPECT_THAT(problems("name: [x]\n", "[a](a.md)\n"),
              ElementsAre(AllOf(HasSubstr("SKILL.md:2: /name: "), HasSubstr("quotes")), HasSubstr("links to a.md")));
}

TEST_F(CheckSkillTest, BodiesAreShortAndNotEmpty) {
  const std::string good = "name: x\n" + std::string(kDescription);
  EXPECT_THAT(problems(good, "\n \n"), ElementsAre(HasSubstr("has nothing below")));
  std::string lines;
  for (std::size_t i = 0; i < kMostBodyLines; ++i) {
    lines += "x\n";
  }
  EXPECT_THAT(problems(good, lines), IsEmpty());
  EXPECT_THAT(problems(good, lines + "x\n"), ElementsAre(HasSubstr("has 500 lines")));
  EXPECT_THAT(problems(good, std::string(kMostBodyBytes + 1, 'x')), ElementsAre(HasSubstr("5,000 tokens")));
  EXPECT_THAT(problems(good, "```sh\nx\n"), ElementsAre(HasSubstr("SKILL.md:5: begins a code block")));
}

TEST_F(CheckSkillTest, LinksStayInTheSkillAndEveryFileIsNamed) {
  const std::string good = "name: x\n" + std::string(kDescription);
  place_.write("x/a/b/deep.md", "");
  place_.write("x/lost.md", "[m](SKILL.md)\n");
  place_.write("outside.md", "");
  EXPECT_THAT(problems(good, "[o](../outside.md)\n[g](gone.md)\n[d](a/b/deep.md)\n[e](/etc/hosts)\n"),
              ElementsAre(AllOf(HasSubstr("SKILL.md:5: "), HasSubstr("outside of the skill")),
                          AllOf(HasSubstr("SKILL.md:6: "), HasSubstr("which the skill does not have")),
                          AllOf(HasSubstr("SKILL.md:7: "), HasSubstr("more than one folder down")),
                          HasSubstr("links to /etc/hosts, outside"), HasSubstr("/x/a/b/deep.md: is named nowhere"),
                          HasSubstr("/x/lost.md: is named nowhere")));
}

TEST_F(CheckSkillTest, CommandsAreHeldAgainstTheProgram) {
  const std::string good = "name: x\n" + std::string(kDescription);
  std::vector<std::vector<std::string>> seen;
  against_.refusal = [&](const std::vector<std::string>& words) {
    seen.push_back(words);
    return words.size() > 2 ? std::string("no such option") : std::string();
  };
  const std::string body = "```sh\nassay doctor\nV=1 assay show x # it\nassay show \"x\n```\n";
  EXPECT_THAT(problems(good, body), ElementsAre(AllOf(HasSubstr("SKILL.md:7: "),
                                                      HasSubstr("refuses \"V=1 assay show x # it\": no such option")),
                                                AllOf(HasSubstr("SKILL.md:8: "), HasSubstr("quote"))));
  EXPECT_THAT(seen, ElementsAre(ElementsAre("assay", "doctor"), ElementsAre("assay", "show", "x")));
}

TEST_F(CheckSkillTest, PathsOfTheRootMustExist) {
  const std::string good = "name: x\n" + std::string(kDescription);
  place_.write("docs/real.md", "");
  against_.root = place_.path();
  const std::string body =
      "`docs/real.md` `docs/gone.md` `elsewhere/gone.md` `docs/*.md` `docs/a b` `/docs/x` `build/x`\n"
      "```sh\nassay evaluate docs/none.cpp\n```\n";
  EXPECT_THAT(problems(good, body), ElementsAre(AllOf(HasSubstr("SKILL.md:7: "), HasSubstr("docs/none.cpp")),
                                                AllOf(HasSubstr("SKILL.md:5: "), HasSubstr("docs/gone.md"))));
  EXPECT_EQ(check_skill(place_.path("x"), against_).paths, 3U);
  against_.root.clear();
  EXPECT_THAT(problems(good, body), IsEmpty());
}

TEST_F(CheckSkillTest, AFolderWithoutASkillFileIsNamed) {
  place_.write("y/notes.md", "");
  EXPECT_THAT(all(check_skill(place_.path("y"), {})), ElementsAre("/y: has no SKILL.md: write one"));
  std::filesystem::create_symlink("/etc/hosts", place_.path("y/SKILL.md"));
  EXPECT_THAT(all(check_skill(place_.path("y"), {})), Contains(HasSubstr("is a link")));
}

}  // namespace
}  // namespace assay::skill
