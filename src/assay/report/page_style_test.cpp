#include <assay/report/page_style.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <assay/plot/testing.hpp>

namespace assay::report {
namespace {

using plot::testing::colour_of;
using plot::testing::contrast;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> colour_blocks() {
  const std::string style = page_style();
  const std::size_t light = style.find(":root{color-scheme");
  const std::size_t dark = style.find("@media (prefers-color-scheme:dark){:root");
  return {style.substr(light, style.find('}', light) - light), style.substr(dark, style.find("}}", dark) - dark)};
}

TEST(PageStyle, IsXmlAsItStands) { EXPECT_EQ(page_style().find_first_of("<>&"), std::string::npos); }

TEST(PageStyle, FetchesNothing) {
  EXPECT_THAT(page_style(), Not(HasSubstr("url(")));
  EXPECT_THAT(page_style(), Not(HasSubstr("@import")));
  EXPECT_THAT(page_style(), Not(HasSubstr("@font-face")));
}

TEST(PageStyle, BracesBalance) {
  int depth = 0;
  for (const char c : page_style()) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
}

TEST(PageStyle, TextStandsOutFromEveryGroundInLightAndDark) {
  for (const std::string& block : colour_blocks()) {
    for (const char* ground : {"--paper", "--wash", "--main-wash", "--bad-wash", "--add", "--cut"}) {
      EXPECT_GE(contrast(colour_of(block, "--ink"), colour_of(block, ground)), 7) << ground;
    }
    for (const char* ground : {"--paper", "--wash", "--main-wash"}) {
      EXPECT_GE(contrast(colour_of(block, "--soft"), colour_of(block, ground)), 4.5) << ground;
    }
    EXPECT_GE(contrast(colour_of(block, "--main"), colour_of(block, "--paper")), 4.5) << "links";
    EXPECT_GE(contrast(colour_of(block, "--main"), colour_of(block, "--main-wash")), 4.5) << "links in promoted rows";
    EXPECT_GE(contrast(colour_of(block, "--bad"), colour_of(block, "--paper")), 4.5) << "failures";
  }
}

TEST(PageStyle, KnowsPaperNarrowScreensAndThoseWhoAvoidMotion) {
  EXPECT_THAT(page_style(), HasSubstr("@media print{"));
  EXPECT_THAT(page_style(), HasSubstr("@media (max-width:760px){"));
  EXPECT_THAT(page_style(), HasSubstr("prefers-reduced-motion"));
  EXPECT_THAT(page_style(), HasSubstr("details::details-content")) << "folded tables must be printed";
}

TEST(PageStyle, BringsThePicturesStyle) { EXPECT_THAT(page_style(), HasSubstr("--ap-main")); }

}  // namespace
}  // namespace assay::report
