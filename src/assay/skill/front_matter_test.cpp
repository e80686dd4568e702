#include <assay/skill/front_matter.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::skill {
namespace {

using ::testing::HasSubstr;

FrontMatter parsed(const std::string& yaml) {
  auto result = parse_front_matter("---\n" + yaml + "---\nbody\n", "SKILL.md");
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result ? *result : FrontMatter{};
}

std::string value(const std::string& yaml, std::string_view key = "k") {
  const FrontMatter front = parsed(yaml);
  const Field* field = front.find(key);
  EXPECT_NE(field, nullptr) << yaml;
  return field == nullptr ? "" : field->value;
}

Problem refused(const std::string& yaml) {
  const auto result = parse_front_matter("---\n" + yaml + "---\n", "SKILL.md");
  EXPECT_FALSE(result) << yaml;
  return result ? Problem{} : result.error();
}

TEST(FrontMatterTest, KnowsWhereTheBodyBegins) {
  const std::string text = "---\nname: x\n---\n# Title\n";
  const auto front = parse_front_matter(text, "SKILL.md");
  ASSERT_TRUE(front) << front.error().text();
  EXPECT_EQ(text.substr(front->body), "# Title\n");
  EXPECT_EQ(front->body_line, 4);
  EXPECT_EQ(front->fields.size(), 1U);
  EXPECT_EQ(front->find("name")->line, 2);
  EXPECT_EQ(front->find("other"), nullptr);
}

TEST(FrontMatterTest, ReadsPlainAndQuotedText) {
  EXPECT_EQ(value("k: some text\n"), "some text");
  EXPECT_EQ(value("k:   blanks around   \n"), "blanks around");
  EXPECT_EQ(value("k: text # comment\n"), "text");
  EXPECT_EQ(value("k: a#b\n"), "a#b");
  EXPECT_EQ(value("k: \"a: b # c\"\n"), "a: b # c");
  EXPECT_EQ(value("k: \"tab\\t quote\\\" back\\\\\" # comment\n"), "tab\t quote\" back\\");
  EXPECT_EQ(value("k: 'it''s \"so\"'\n"), "it's \"so\"");
  EXPECT_EQ(value("k: \"\"\n"), "");
  EXPECT_EQ(value("k: a\r\n"), "a") << "line ends of another system";
  EXPECT_EQ(value("# comment\n\nk: µs\n"), "µs");
}

TEST(FrontMatterTest, JoinsTextOfSeveralLines) {
  EXPECT_EQ(value("k: one\n  two\n    three\nother: x\n"), "one two three");
  EXPECT_EQ(value("k:\n  one\n  two\n"), "one two");
  EXPECT_EQ(value("k:\n  \"one: two\"\n"), "one: two");
  EXPECT_EQ(value("k: >\n  one\n  two\n\n  three\n"), "one two\nthree");
  EXPECT_EQ(value("k: |\n  one\n    two\n\n  three\n\nother: x\n"), "one\n  two\n\nthree");
  EXPECT_EQ(value("k: >-\n  a: b\n"), "a: b");
}

TEST(FrontMatterTest, ReadsOneLevelOfAMap) {
  const FrontMatter front =
      parsed("metadata:\n  author: us\n  version: \"1.0\"\n\n  # comment\n  plain: a b\nname: x\n");
  const Field* map = front.find("metadata");
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->kind, Field::Kind::map);
  ASSERT_EQ(map->fields.size(), 3U);
  EXPECT_EQ(map->fields[1].key, "version");
  EXPECT_EQ(map->fields[1].value, "1.0");
  EXPECT_EQ(map->fields[2].line, 7);
  EXPECT_NE(front.find("name"), nullptr);
}

TEST(FrontMatterTest, KnowsWhatYamlDoesNotTakeForText) {
  for (const std::string plain : {"1.0", "12", "-3", "1e5", "0x1f", "2026-11-30", "true", "No", "null", "~", ".5"}) {
    EXPECT_EQ(parsed("k: " + plain + "\n").find("k")->kind, Field::Kind::other) << plain;
  }
  EXPECT_EQ(parsed("k:\n").find("k")->kind, Field::Kind::other);
  for (const std::string plain : {"1.0 or later", "v1.0", "\"1.0\"", "'true'", "truely", "Apache-2.0", "-x"}) {
    EXPECT_EQ(parsed("k: " + plain + "\n").find("k")->kind, Field::Kind::text) << plain;
  }
}

TEST(FrontMatterTest, RefusesWhatReadersDisagreeAbout) {
  struct Case {
    const char* yaml;
    int line;
    const char* part;
  };
  const Case cases[] = {
      {"k: use when: now\n", 2, "put it in quotes"},
      {"k: one\n  two: three\n", 3, "put it in quotes"},
      {"k: [a, b]\n", 2, "put the text in quotes"},
      {"k: {a: b}\n", 2, "put the text in quotes"},
      {"k: *alias\n", 2, "put the text in quotes"},
      {"k: &anchor x\n", 2, "put the text in quotes"},
      {"k: !tag x\n", 2, "put the text in quotes"},
      {"k: `x`\n", 2, "put the text in quotes"},
      {"k: - x\n", 2, "put the text in quotes"},
      {"k: \"open\n", 2, "closing quote"},
      {"k: \"a\" b\n", 2, "goes on behind"},
      {"k: \"\\q\"\n", 2, "escape"},
      {"k: |2\n  x\n", 2, "block"},
      {"k: |\n    x\n  y\n", 4, "align"},
      {"k: a # b\n  c\n", 3, "move the comment"},
      {"- x\n", 2, "list item"},
      {"k x\n", 2, "key: value"},
      {"k:x\n", 2, "key: value"},
      {"\"k\": x\n", 2, "key: value"},
      {"  k: x\n", 2, "align"},
      {"\tk: x\n", 2, "indent with blanks"},
      {"k: x\nk: y\n", 3, "twice"},
      {"m:\n  a: b\n    c: d\n", 4, "put it in quotes"},
      {"m:\n  a:\n    c: d\n", 4, "one level"},
      {"m:\n    a: b\n  c: d\n", 4, "align"},
      {"m:\n  a: b\n  a: c\n", 4, "twice"},
      {"k: a\x01z\n", 2, "control character"},
      {"k: \xff\n", 2, "UTF-8"},
  };
  for (const Case& one : cases) {
    const Problem problem = refused(one.yaml);
    EXPECT_EQ(problem.line, one.line) << one.yaml;
    EXPECT_THAT(problem.message, HasSubstr(one.part)) << one.yaml;
    EXPECT_EQ(problem.file, "SKILL.md");
    EXPECT_EQ(problem.code, "skill.front_matter");
  }
  EXPECT_EQ(refused("m:\n  a: b\n  a: c\n").field, "/m/a");
  EXPECT_EQ(refused("m:\n  a: b\n  a: c\n").text(), "SKILL.md:4: /m/a: comes twice: remove one");
}

TEST(FrontMatterTest, WantsBothLinesOfDashes) {
  EXPECT_THAT(parse_front_matter("", "f").error().message, HasSubstr("is empty"));
  EXPECT_THAT(parse_front_matter("# Title\n", "f").error().message, HasSubstr("does not begin"));
  EXPECT_THAT(parse_front_matter("---", "f").error().message, HasSubstr("no second line"));
  EXPECT_THAT(parse_front_matter("---\nname: x\n", "f").error().message, HasSubstr("no second line"));
  EXPECT_THAT(parse_front_matter("\n---\nname: x\n---\n", "f").error().message, HasSubstr("does not begin"));
  EXPECT_TRUE(parse_front_matter("---\n---", "f"));
}

TEST(FrontMatterTest, IsBounded) {
  std::string many;
  for (std::size_t i = 0; i <= kMostFields; ++i) {
    many += "k" + std::to_string(i) + ": x\n";
  }
  EXPECT_THAT(refused(many).message, HasSubstr("one field more"));
  const std::string open = "---\n" + std::string(kMostFrontMatterBytes, '\n') + "---\n";
  EXPECT_THAT(parse_front_matter(open, "f").error().message, HasSubstr("16.0 KiB"));
}

}  // namespace
}  // namespace assay::skill
