#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include <assay/agent/line_splitter.hpp>

namespace assay::agent {
namespace {

using Ending = LineSplitter::Ending;
using Lines = std::vector<std::pair<std::string, Ending>>;

Lines split_in_pieces(const std::string& text, std::size_t limit, std::size_t piece) {
  Lines lines;
  LineSplitter splitter(limit,
                        [&](std::string_view line, Ending ending) { lines.emplace_back(std::string(line), ending); });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    splitter.feed(std::string_view(text).substr(at, piece));
  }
  splitter.finish();
  return lines;
}

TEST(LineSplitter, TellsHowEachLineEnded) {
  EXPECT_EQ(
      split_in_pieces("ab\n\ntoo long\nend", 4, 100),
      (Lines{
          {"ab", Ending::newline}, {"", Ending::newline}, {"too ", Ending::oversized}, {"end", Ending::end_of_all}}));
  EXPECT_EQ(split_in_pieces("1234\n", 4, 1), (Lines{{"1234", Ending::newline}}));
  EXPECT_EQ(split_in_pieces("12345", 4, 2), (Lines{{"1234", Ending::oversized}}));
  EXPECT_TRUE(split_in_pieces("", 4, 1).empty());
}

RC_GTEST_PROP(LineSplitterProperty, PiecesDoNotMatter, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n'));
  const auto limit = *rc::gen::inRange<std::size_t>(1, 10);
  const auto piece = *rc::gen::inRange<std::size_t>(1, 7);
  RC_ASSERT(split_in_pieces(text, limit, piece) == split_in_pieces(text, limit, text.size() + 1));
}

}  // namespace
}  // namespace assay::agent
