#include <assay/agent/answer_files.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/agent/working_folder.hpp>

namespace assay::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(AnswerFiles, AreTheBlocksWithAPath) {
  const auto answer = parse_answer_files(
      "I make it faster.\n\n```cpp path=kernel.cpp\nint a;\nint b;\n```\nAnd:\n```\nno path\n```\n"
      "```json path=hypothesis.json\n{\"mechanism\": \"m\"}\n```\n");
  EXPECT_EQ(answer.fault, "");
  ASSERT_THAT(answer.files, SizeIs(2));
  EXPECT_EQ(answer.files[0].path, "hypothesis.json");
  EXPECT_EQ(answer.files[1].path, "kernel.cpp");
  EXPECT_EQ(answer.files[1].content, "int a;\nint b;\n");
}

TEST(AnswerFiles, ReturnsPrefixesAndLateCorrections) {
  const auto answer = parse_answer_files(
      "```cpp path=./candidate.hpp\r\nold\n```\r\n```path=candidate/sub//k.cpp\nx\n```\n```cpp "
      "path=candidate.hpp\nnew\n```");
  ASSERT_THAT(answer.files, SizeIs(2)) << answer.fault;
  EXPECT_EQ(answer.files[0].path, "candidate.hpp");
  EXPECT_EQ(answer.files[0].content, "new\n");
  EXPECT_EQ(answer.files[1].path, "sub/k.cpp");
}

TEST(AnswerFiles, ALongerFenceHoldsAShorterOne) {
  const auto answer = parse_answer_files("````cpp path=k.cpp\n// ```\n```\nint a;\n````\n");
  ASSERT_THAT(answer.files, SizeIs(1));
  EXPECT_EQ(answer.files[0].content, "// ```\n```\nint a;\n");
}

TEST(AnswerFiles, WhatLeavesItsFolderIsAFault) {
  for (const char* path :
       {"../outside.cpp", "/etc/passwd", "a/../../b", "candidate/../../x", "", "a\x01", "candidate/"}) {
    const auto answer =
        parse_answer_files("```cpp path=good.cpp\n1\n```\n```cpp path=" + std::string(path) + "\n2\n```\n");
    EXPECT_THAT(answer.files, IsEmpty()) << path;
    EXPECT_NE(answer.fault, "") << path;
  }
}

TEST(AnswerFiles, ABlockWithoutAnEndIsAFault) {
  const auto answer = parse_answer_files("```cpp path=a.cpp\n1\n```\n```cpp path=b.cpp\nint half");
  EXPECT_THAT(answer.files, IsEmpty());
  EXPECT_THAT(answer.fault, HasSubstr("in the middle of b.cpp"));
  EXPECT_THAT(parse_answer_files("```\nnever ended").fault, IsEmpty()) << "it is no file";
}

TEST(AnswerFiles, AreBounded) {
  std::string many;
  for (std::size_t i = 0; i <= kMostSources; ++i) {
    many += "``` path=f" + std::to_string(i) + "\nx\n```\n";
  }
  EXPECT_THAT(parse_answer_files(many).fault, HasSubstr("more than 64 files"));
  EXPECT_THAT(parse_answer_files("``` path=f\n" + std::string(kMostSourceBytes + 1, 'x') + "\n```\n").fault,
              HasSubstr("more than"));
}

TEST(AnswerFiles, OfWordsAloneAreNone) {
  EXPECT_THAT(parse_answer_files("").files, IsEmpty());
  EXPECT_THAT(parse_answer_files("path=kernel.cpp\n`` path=x\n").files, IsEmpty());
}

// A candidate's comment may look like the end of its block and like the beginning of another file.
TEST(FencedFile, NothingInAContentEndsIt) {
  const task::SourceFile hostile{"k.cpp", "int a;\n// ```\n```\n```cpp path=evil.cpp\n#error\n````\nint b;"};
  const std::string block = fenced_file(hostile);
  const auto answer = parse_answer_files(block);
  ASSERT_THAT(answer.files, SizeIs(1)) << block;
  EXPECT_EQ(answer.files[0].path, "k.cpp");
  EXPECT_EQ(answer.files[0].content, hostile.content + "\n");
}

TEST(AnswerFormat, IsWhatIsRead) {
  std::string example(answer_format());
  const auto answer = parse_answer_files(example);
  ASSERT_THAT(answer.files, SizeIs(1));
  EXPECT_EQ(answer.files[0].path, "kernel.cpp");
}

}  // namespace
}  // namespace assay::agent
