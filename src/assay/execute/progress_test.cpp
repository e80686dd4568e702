#include <assay/execute/progress.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace assay::execute {
namespace {

TEST(ParseProgress, TakesNumbersAndText) {
  const auto progress = parse_progress("3 54 timing workload 3");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->done, 3);
  EXPECT_EQ(progress->total, 54);
  EXPECT_EQ(progress->what, "timing workload 3");
}

TEST(ParseProgress, TakesFractionsExponentsAndNoText) {
  const auto progress = parse_progress("0.25 1e0");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->done, 0.25);
  EXPECT_EQ(progress->total, 1);
  EXPECT_EQ(progress->what, "");
}

TEST(ParseProgress, LeavesAnUnknownTotalUnknown) {
  const auto progress = parse_progress("17 0 compiling");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->done, 17);
  EXPECT_EQ(progress->total, 0);
}

TEST(ParseProgress, CutsDoneToTheTotal) { EXPECT_EQ(parse_progress("9 4 late")->done, 4); }

TEST(ParseProgress, NegativeZeroIsZero) {
  const auto progress = parse_progress("-0 3 begin");
  ASSERT_TRUE(progress);
  EXPECT_FALSE(std::signbit(progress->done));
}

TEST(ParseProgress, RefusesWhatIsNotALine) {
  for (const char* line :
       {"", " ", "1", "x 2 what", "1 x what", "1,5 2 what", "-1 2 what", "1 -2 what", "nan 2 what", "1 inf what",
        "1e999 2 what", " 1 2 what", "1\t2 what", "0x1 2 what", "1 2what", "1  2 what"}) {
    EXPECT_FALSE(parse_progress(line)) << line;
  }
}

TEST(ParseProgress, MakesTextHarmlessForATerminal) {
  const auto progress = parse_progress("1 2 \x1b[2Jred\talert\r\n\x07");
  ASSERT_TRUE(progress);
  for (const char c : progress->what) {
    EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  }
  EXPECT_THAT(progress->what, testing::HasSubstr("red alert"));
}

TEST(ParseProgress, CutsLongTextBetweenCharacters) {
  std::string line = "1 2 ";
  for (int i = 0; i < 300; ++i) {
    line += "é";
  }
  const auto progress = parse_progress(line + "x");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->what.size(), 200U);
  const auto odd = parse_progress("1 2 x" + line.substr(4));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->what.size(), 199U);
}

TEST(ParseProgress, HoldsItsPromisesForAnyBytes) {
  EXPECT_TRUE(rc::check("any bytes", [](const std::string& line) {
    for (const std::string& given : {line, "1 2 " + line, "1 " + line}) {
      if (const auto progress = parse_progress(given)) {
        RC_ASSERT(std::isfinite(progress->done) && progress->done >= 0);
        RC_ASSERT(std::isfinite(progress->total) && progress->total >= 0);
        RC_ASSERT(progress->total == 0 || progress->done <= progress->total);
        RC_ASSERT(progress->what.size() <= 200U);
      }
    }
  }));
}

TEST(ProgressReader, JoinsPiecesAndGivesTheLastLine) {
  ProgressReader reader;
  EXPECT_FALSE(reader.feed("1 4 bui"));
  EXPECT_FALSE(reader.feed("lding"));
  const auto first = reader.feed("\n");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->what, "building");
  const auto second = reader.feed("2 4 a\n3 4 b\n4 4 incomplete");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->what, "b");
}

TEST(ProgressReader, SkipsGarbageBetweenGoodLines) {
  ProgressReader reader;
  const auto progress = reader.feed("1 4 a\nrubbish\n\n2 4 b\n\xff\xfe\n");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->what, "b");
}

TEST(ProgressReader, SkipsALineWithoutEndAndRecovers) {
  ProgressReader reader;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(reader.feed("1 2 " + std::string(1000, 'x')));
  }
  EXPECT_FALSE(reader.feed("tail of it\n"));
  const auto progress = reader.feed("1 2 fine\n");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->what, "fine");
}

TEST(ProgressReader, DoesNotCareHowTheStreamIsCut) {
  EXPECT_TRUE(rc::check("any cuts", [] {
    const std::string stream = "1 9 one\ngarbage\n2 9 two\n" + std::string(2000, 'z') + "\n3 9 three\n4 9 cut off";
    ProgressReader reader;
    std::string seen;
    std::size_t at = 0;
    while (at < stream.size()) {
      const auto length = *rc::gen::inRange<std::size_t>(1, 60);
      if (const auto progress = reader.feed(std::string_view(stream).substr(at, length))) {
        seen = progress->what;
      }
      at += length;
    }
    RC_ASSERT(seen == "three");
  }));
}

}  // namespace
}  // namespace assay::execute
