#include <assay/cli/progress.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

// In a test stderr is a file, so only events may show.
TEST(ProgressDisplayTest, EventsAreLinesAndStepsAreQuietWithoutATerminal) {
  testing::internal::CaptureStderr();
  {
    ProgressDisplay display;
    display.step(1, 10, "timing");
    display.event("candidate 1 (mine): incorrect");
    display.step(2, 10, "timing");
    display.event("a\x1b[2Jb");
    display.clear();
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::StartsWith("candidate 1 (mine): incorrect\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("timing")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\x1b")));
}

}  // namespace
}  // namespace assay::cli
