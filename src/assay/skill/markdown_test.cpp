#include <assay/skill/markdown.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::skill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Mention>& mentions) {
  std::vector<std::string> result;
  result.reserve(mentions.size());
  for (const Mention& one : mentions) {
    result.push_back(one.text);
  }
  return result;
}

TEST(ScanMarkdown, FindsCommandsInBlocksForAShell) {
  const Markdown found = scan_markdown(
      "assay not-in-a-block\n"
      "```sh\nassay doctor\n$ assay candidates\nX=1 build/bin/assay show a # it\nls\n```\n"
      "~~~\nassay a \\\n  --b\nassay c\n~~~\n"
      "```text\nassay text\n```\n"
      "```cpp\nassay::task\n```\n",
      10);
  EXPECT_THAT(texts(found.commands), ElementsAre("assay doctor", "assay candidates", "X=1 build/bin/assay show a # it",
                                                 "assay a  --b", "assay c"));
  EXPECT_EQ(found.commands[0].line, 12);
  EXPECT_EQ(found.commands[4].line, 20);
  EXPECT_EQ(found.unclosed_fence, 0);
  EXPECT_EQ(found.lines, 18U);
}

TEST(ScanMarkdown, FindsLinksAndCodeSpansOutsideOfBlocks) {
  const Markdown found = scan_markdown(
      "[a](references/a.md) and [b](b.md#part), [c](https://example.org/x) [d](#here)\n"
      "`docs/x.md` ``a ` b`` `[no](link.md)` open ` tick\n"
      "```\n[e](e.md) `code`\n```\n"
      "[broken](x\n",
      1);
  EXPECT_THAT(texts(found.links), ElementsAre("references/a.md", "b.md"));
  EXPECT_THAT(texts(found.code), ElementsAre("docs/x.md", "a ` b", "[no](link.md)"));
  EXPECT_EQ(found.code[0].line, 2);
}

TEST(ScanMarkdown, NamesAFenceThatIsNotClosed) {
  EXPECT_EQ(scan_markdown("x\n```sh\nassay a\n", 5).unclosed_fence, 6);
  EXPECT_EQ(scan_markdown("````\n```\n````\n", 1).unclosed_fence, 0);
  EXPECT_EQ(scan_markdown("```\n~~~\n", 1).unclosed_fence, 1);
  EXPECT_THAT(scan_markdown("", 1).commands, IsEmpty());
}

TEST(ScanMarkdown, ACommandWithAnOpenQuoteIsStillOne) {
  EXPECT_THAT(texts(scan_markdown("```sh\nassay approve x --why \"open\n```\n", 1).commands),
              ElementsAre("assay approve x --why \"open"));
}

}  // namespace
}  // namespace assay::skill
