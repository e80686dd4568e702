#include <assay/plot/svg.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <assay/plot/testing.hpp>

namespace assay::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

SvgHeader header() {
  return {.id = "picture", .title = "A title", .description = "What it shows", .width = 100, .height = 50};
}

TEST(Svg, NamesItselfForThoseWhoCannotSeeIt) {
  const std::string svg = Svg(header()).finish();
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-labelledby=\"picture-title picture-desc\""));
  EXPECT_THAT(svg, HasSubstr("<title id=\"picture-title\">A title</title>"));
  EXPECT_THAT(svg, HasSubstr("<desc id=\"picture-desc\">What it shows</desc>"));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 100 50\""));
  EXPECT_EQ(testing::markup_problem(svg), "");
}

TEST(Svg, BringsItsStyleUnlessThePageHasIt) {
  EXPECT_THAT(Svg(header()).finish(), HasSubstr("prefers-color-scheme:dark"));
  SvgHeader on_page = header();
  on_page.style = Style::from_page;
  EXPECT_THAT(Svg(on_page).finish(), Not(HasSubstr("<style>")));
}

TEST(Svg, StyleNeedsNoEscaping) { EXPECT_EQ(stylesheet().find_first_of("<>&"), std::string::npos); }

TEST(Svg, EscapesEveryText) {
  const std::string evil = "</text><script>alert(\"1\" & '2')</script>\x1b[31m";
  SvgHeader hostile = header();
  hostile.title = evil;
  hostile.description = evil;
  Svg svg(hostile);
  svg.open(evil, "#a\"onclick=\"x");
  svg.text({1, 2}, evil, Anchor::middle, "ap-ink");
  svg.vertical_text({1, 2}, evil, "ap-ink");
  svg.close();
  const std::string text = svg.finish();
  EXPECT_EQ(testing::markup_problem(text), "");
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("\"onclick")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(testing::occurrences(text, "&lt;script&gt;"), 5);
}

TEST(Svg, WritesElements) {
  Svg svg(header());
  svg.line({0, 1}, {2.5, 3}, "a");
  svg.rectangle({1, 2, 3, 4}, "b");
  svg.circle({5, 6}, 7, "c");
  svg.polyline({{0, 0}, {1, 1.25}}, "d");
  svg.path("M0 0Z", "e");
  svg.text({1, 1}, "t", Anchor::end, "f");
  const std::string text = svg.finish();
  EXPECT_THAT(text, HasSubstr("<line x1=\"0\" y1=\"1\" x2=\"2.5\" y2=\"3\" class=\"a\"/>"));
  EXPECT_THAT(text, HasSubstr("<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" class=\"b\"/>"));
  EXPECT_THAT(text, HasSubstr("<circle cx=\"5\" cy=\"6\" r=\"7\" class=\"c\"/>"));
  EXPECT_THAT(text, HasSubstr("<polyline points=\"0,0 1,1.25\" class=\"d\"/>"));
  EXPECT_THAT(text, HasSubstr("<path d=\"M0 0Z\" class=\"e\"/>"));
  EXPECT_THAT(text, HasSubstr("text-anchor=\"end\" class=\"f\">t</text>"));
}

TEST(Svg, GroupsBecomeLinksIntoThePage) {
  Svg svg(header());
  svg.open("tip");
  svg.open("inner", "#candidate-3");
  svg.close();
  svg.close();
  EXPECT_THAT(svg.finish(),
              HasSubstr("<g><title>tip</title>\n<a href=\"#candidate-3\"><title>inner</title>\n</a>\n</g>"));
}

TEST(SvgDeathTest, RefusesMisuse) {
  Svg svg(header());
  EXPECT_DEATH(svg.open("tip", "https://example.org"), "front");
  EXPECT_DEATH(svg.close(), "open_");
  svg.open("tip");
  EXPECT_DEATH(static_cast<void>(svg.finish()), "open_");
  SvgHeader bad = header();
  bad.id = "a b";
  EXPECT_DEATH(Svg{bad}, "is_identifier");
}

TEST(TextWidth, CountsCharactersNotBytes) {
  EXPECT_DOUBLE_EQ(text_width("µs"), text_width("us"));
  EXPECT_DOUBLE_EQ(text_width(""), 0);
}

// Both schemes of the style sheet: the rules before and inside the media query for dark.
std::vector<std::string> colour_blocks() {
  const std::string style = stylesheet();
  const std::size_t dark = style.find("@media (prefers-color-scheme:dark)");
  return {style.substr(0, dark), style.substr(dark, style.find("}}", dark) - dark)};
}

TEST(Stylesheet, EveryColourIsSetInLightAndDark) {
  for (const std::string& block : colour_blocks()) {
    for (const char* variable : {"--ap-ink", "--ap-soft", "--ap-grid", "--ap-paper", "--ap-main", "--ap-other",
                                 "--ap-bad", "--ap-doubt", "--ap-same", "--ap-third"}) {
      EXPECT_EQ(testing::colour_of(block, variable).size(), 7U) << variable;
    }
  }
}

TEST(Stylesheet, TextAndMarksStandOutFromThePaper) {
  for (const std::string& block : colour_blocks()) {
    const std::string paper = testing::colour_of(block, "--ap-paper");
    EXPECT_GE(testing::contrast(testing::colour_of(block, "--ap-ink"), paper), 7);
    EXPECT_GE(testing::contrast(testing::colour_of(block, "--ap-soft"), paper), 4.5);
    for (const char* mark : {"--ap-main", "--ap-other", "--ap-bad", "--ap-doubt", "--ap-same", "--ap-third"}) {
      EXPECT_GE(testing::contrast(testing::colour_of(block, mark), paper), 3) << mark;
    }
  }
}

TEST(Stylesheet, EveryClassThatChartsUseHasARule) {
  for (const char* name :
       {"ap-strong",    "ap-ink",       "ap-grid",        "ap-band",      "ap-axis",       "ap-base",
        "ap-step",      "ap-won",       "ap-lost",        "ap-won-bar",   "ap-kept",       "ap-kept-bar",
        "ap-failed",    "ap-neutral",   "ap-gain",        "ap-loss",      "ap-hit",        "ap-noise",
        "ap-own-band",  "ap-step-thin", "ap-failed-thin", "ap-lost-thin", "ap-dot",        "ap-small",
        "ap-tone-good", "ap-tone-bad",  "ap-tone-doubt",  "ap-tone-same", "ap-tone-other", "ap-tone-faint",
        "ap-on-tone"}) {
    EXPECT_THAT(stylesheet(), HasSubstr("." + std::string(name) + "{"));
  }
}

TEST(Contrast, MatchesTheDefinition) {
  EXPECT_NEAR(testing::contrast("#000000", "#ffffff"), 21, 1e-9);
  EXPECT_NEAR(testing::contrast("#777777", "#ffffff"), 4.48, 0.01);
  EXPECT_NEAR(testing::contrast("#123456", "#123456"), 1, 1e-9);
  EXPECT_EQ(testing::colour_of("a{--x:#fa0;}", "--x"), "#ffaa00");
}

TEST(MarkupProblem, FindsWhatIsBroken) {
  using testing::markup_problem;
  EXPECT_EQ(markup_problem("<a b=\"1\"><c/>&amp;&#39;</a>"), "");
  EXPECT_EQ(markup_problem("<!DOCTYPE html><html></html>"), "");
  EXPECT_NE(markup_problem("<a><b></a></b>"), "");
  EXPECT_NE(markup_problem("<a>"), "");
  EXPECT_NE(markup_problem("<a>1 & 2</a>"), "");
  EXPECT_NE(markup_problem("<a>1 < 2</a>"), "");
  EXPECT_NE(markup_problem("<a>&nbsp;</a>"), "");
  EXPECT_NE(markup_problem("<a b=1></a>"), "");
  EXPECT_NE(markup_problem("<a b></a>"), "");
  EXPECT_NE(markup_problem("<a b=\"1\" b=\"2\"></a>"), "");
  EXPECT_NE(markup_problem("<a></a><b></b>"), "");
  EXPECT_NE(markup_problem("text"), "");
}

}  // namespace
}  // namespace assay::plot
