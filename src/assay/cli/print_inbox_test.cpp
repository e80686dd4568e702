#include <assay/cli/print_inbox.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PrintInbox, NothingWaits) { EXPECT_EQ(print_inbox({}), "nothing waits for a person\n"); }

TEST(PrintInbox, SaysWhatIsAskedAndWhatSilenceDoes) {
  const std::string text = print_inbox({{"tune-decision-1",
                                         "tune",
                                         "search",
                                         "a plateau\x1b[31m",
                                         {{"stop", "end it"}},
                                         "end it",
                                         "the end of round 6 (it is round 4)",
                                         {"round 4 of 10"}}});
  EXPECT_THAT(text, HasSubstr("tune-decision-1 (search)"));
  EXPECT_THAT(text, HasSubstr("    stop             end it\n"));
  EXPECT_THAT(text, HasSubstr("if nobody answers: end it; deadline: the end of round 6"));
  EXPECT_THAT(text, HasSubstr("  . round 4 of 10\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "names are other people's";
}

TEST(PrintInbox, SaysWhereAnAnswerIs) {
  EXPECT_THAT(print_said({"tune", true}), HasSubstr("which is running"));
  EXPECT_THAT(print_said({"tune", false}), HasSubstr("assay campaign resume tune"));
}

}  // namespace
}  // namespace assay::cli
