#include <assay/execute/judge_log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/os/file.hpp>

namespace assay::execute {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class JudgeLogTest : public testing::Test {
 protected:
  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "judge-log-").value();
  os::Path path_ = folder_.path() / "x.judge.log";

  JudgeLog create(std::uint64_t limit = JudgeLog::kLimitBytes) { return JudgeLog::create(path_, limit).value(); }
  std::string text() const { return os::read_file(path_).value(); }
};

TEST_F(JudgeLogTest, KeepsAShortLogAsItIs) {
  JudgeLog log = create();
  log.append("one\n");
  log.append("two\n");
  log.finish();
  EXPECT_EQ(text(), "one\ntwo\n");
  EXPECT_EQ(log.last_lines(5), "one\ntwo");
  EXPECT_EQ(log.last_lines(1), "two");
}

TEST_F(JudgeLogTest, IsWrittenAsItComes) {
  JudgeLog log = create();
  log.append("before the crash");
  EXPECT_EQ(text(), "before the crash");
}

TEST_F(JudgeLogTest, AnEmptyLogHasNoLastLines) {
  JudgeLog log = create();
  log.finish();
  EXPECT_EQ(log.last_lines(3), "");
  EXPECT_EQ(text(), "");
}

TEST_F(JudgeLogTest, IsBoundedAndKeepsBothEnds) {
  JudgeLog log = create(100);
  log.append("the beginning\n");
  for (int i = 0; i < 10000; ++i) {
    log.append("the same line again and again\n");
  }
  log.append("the end\n");
  log.finish();
  EXPECT_LT(text().size(), 100 + JudgeLog::kTailBytes + 100);
  EXPECT_THAT(text(), StartsWith("the beginning\n"));
  EXPECT_THAT(text(), HasSubstr("left out]"));
  EXPECT_THAT(text(), EndsWith("again\nthe end\n"));
  EXPECT_THAT(log.last_lines(2), EndsWith("again\nthe end"));
}

TEST_F(JudgeLogTest, WhatIsCutByLessThanTheTailIsNotWrittenTwice) {
  JudgeLog log = create(10);
  log.append("0123456789abcdef");
  log.finish();
  EXPECT_THAT(text(), StartsWith("0123456789\n["));
  EXPECT_THAT(text(), EndsWith("]\nabcdef"));
}

TEST_F(JudgeLogTest, OnePieceLargerThanEverythingIsTaken) {
  JudgeLog log = create(100);
  log.append(std::string(1U << 20U, 'x') + "\nlast");
  log.finish();
  EXPECT_EQ(log.last_lines(1), "last");
}

TEST_F(JudgeLogTest, LastLinesCannotDriveATerminal) {
  JudgeLog log = create();
  log.append("\x1b[31mred\xff\n");
  EXPECT_EQ(log.last_lines(1).find('\x1b'), std::string::npos);
}

TEST_F(JudgeLogTest, EmptiesAnEarlierLog) {
  ASSERT_TRUE(os::write_file_atomic(path_, "of an earlier run"));
  create().finish();
  EXPECT_EQ(text(), "");
}

TEST_F(JudgeLogTest, AFolderThatDoesNotExistIsNamed) {
  const auto log = JudgeLog::create(folder_.path() / "none" / "x.log");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().owner, base::Owner::environment);
  EXPECT_THAT(log.error().text(), HasSubstr("none/x.log"));
}

}  // namespace
}  // namespace assay::execute
