#include <assay/report/table.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <assay/base/text.hpp>

namespace assay::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("µs ×"), 4U);
  EXPECT_EQ(display_width("漢字"), 4U);
  EXPECT_EQ(display_width("🚀"), 2U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("a\xff\xe2\x82"), 4U) << "broken bytes take one each";
}

TEST(Fit, CutsAtCharactersAndMarksTheCut) {
  EXPECT_EQ(fit("abcdef", 6), "abcdef");
  EXPECT_EQ(fit("abcdef", 4), "abc…");
  EXPECT_EQ(fit("漢字漢字", 5), "漢字…");
  EXPECT_EQ(fit("漢字漢字", 4), "漢…");
  EXPECT_EQ(fit("abc", 1), "…");
  EXPECT_EQ(fit("abc", 0), "");
}

TEST(Tinted, WritesEscapesOnlyWhenAsked) {
  EXPECT_EQ(tinted("x", Tone::bad, Colour::off), "x");
  EXPECT_EQ(tinted("x", Tone::plain, Colour::on), "x");
  EXPECT_EQ(tinted("x", Tone::good, Colour::on), "\x1b[32mx\x1b[0m");
  EXPECT_EQ(tinted("x", Tone::bad, Colour::on), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(tinted("x", Tone::faint, Colour::on), "\x1b[2mx\x1b[0m");
  EXPECT_EQ(tinted("x", Tone::strong, Colour::on), "\x1b[1mx\x1b[0m");
}

TEST(Table, AlignsByDisplayWidth) {
  Table table({{"name"}, {"time", Align::right}, {"note"}});
  table.add({"plain", "41.3 µs", "x"});
  table.add({"漢字", "812 ns", ""});
  EXPECT_EQ(table.render(),
            "name      time  note\n"
            "─────  ───────  ────\n"
            "plain  41.3 µs  x\n"
            "漢字    812 ns\n");
}

TEST(Table, IndentsEveryLine) {
  Table table({{"a"}});
  table.add({"1"});
  EXPECT_EQ(table.render(Colour::off, 2), "  a\n  ─\n  1\n");
}

TEST(Table, IsEmptyWithoutRows) { EXPECT_EQ(Table({{"a"}}).render(), ""); }

TEST(Table, ColourDoesNotChangeTheLayout) {
  Table table({{"a"}, {"b", Align::right}});
  table.add({{"long text", Tone::bad}, {"1", Tone::good}});
  std::string coloured = table.render(Colour::on);
  EXPECT_THAT(coloured, HasSubstr("\x1b[31mlong text\x1b[0m"));
  for (const char* escape : {"\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[2m", "\x1b[0m"}) {
    for (std::size_t at = coloured.find(escape); at != std::string::npos; at = coloured.find(escape)) {
      coloured.erase(at, std::string_view(escape).size());
    }
  }
  EXPECT_EQ(coloured, table.render());
}

TEST(Table, HostileCellsCannotBreakOut) {
  Table table({{"a", Align::left, 12}, {"b"}});
  table.add({"x\x1b[2J\ny\tz and much more", "ok"});
  EXPECT_THAT(table.render(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(table.render(), HasSubstr("x\uFFFD[2J y z a…  ok\n"));
}

TEST(TableDeathTest, RowsMustFitTheColumns) {
  Table table({{"a"}, {"b"}});
  EXPECT_DEATH(table.add({"1"}), "cells.size");
  EXPECT_DEATH(Table({}), "columns_");
}

RC_GTEST_PROP(FitProperty, NeverExceedsTheWidth, (const std::string& text, std::uint8_t width)) {
  RC_ASSERT(display_width(fit(text, width)) <= width);
}

RC_GTEST_PROP(TableProperty, NoLineEndsInABlank, (const std::vector<std::pair<std::string, std::string>>& rows)) {
  Table table({{"first"}, {"second", Align::right}});
  for (const auto& [first, second] : rows) {
    table.add({std::string(base::trim(first)), std::string(base::trim(second))});
  }
  RC_ASSERT(table.render().find(" \n") == std::string::npos);
}

}  // namespace
}  // namespace assay::report
