#include <assay/skill/command_line.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::skill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShellWords, AreSplitAtBlanksOutsideOfQuotes) {
  EXPECT_THAT(*shell_words("assay  show\tabc "), ElementsAre("assay", "show", "abc"));
  EXPECT_THAT(*shell_words("a 'b c' \"d \\\" e\" f\\ g ''"), ElementsAre("a", "b c", "d \" e", "f g", ""));
  EXPECT_THAT(*shell_words("--why=\"it is\" x"), ElementsAre("--why=it is", "x"));
  EXPECT_THAT(*shell_words("'a\\b'"), ElementsAre("a\\b"));
  EXPECT_THAT(*shell_words(""), IsEmpty());
}

TEST(ShellWords, EndWhereAnotherCommandOrACommentBegins) {
  EXPECT_THAT(*shell_words("assay doctor # what works"), ElementsAre("assay", "doctor"));
  EXPECT_THAT(*shell_words("assay doctor | head"), ElementsAre("assay", "doctor"));
  EXPECT_THAT(*shell_words("assay doctor>x"), ElementsAre("assay", "doctor"));
  EXPECT_THAT(*shell_words("a && b"), ElementsAre("a"));
  EXPECT_THAT(*shell_words("a#b '|' \\;"), ElementsAre("a#b", "|", ";"));
}

TEST(ShellWords, NeedTheirQuotesClosed) {
  EXPECT_EQ(shell_words("a 'b"), std::nullopt);
  EXPECT_EQ(shell_words("a \"b\\\""), std::nullopt);
}

}  // namespace
}  // namespace assay::skill
