#include <assay/agent/working_folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace assay::agent {
namespace {

using ::testing::HasSubstr;

class WorkingFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.emplace(os::TemporaryDirectory::create(::testing::TempDir(), "assay-folder-").value());
  }
  void lay(const std::vector<task::SourceFile>& sources) { ASSERT_TRUE(lay_out(path(), "prompt", "{}", sources)); }
  [[nodiscard]] os::Path path() const { return folder_->path(); }
  [[nodiscard]] LeftSources left() const {
    task::Solution origin;
    origin.spec.entry_point = "kernel.cpp::run";
    return read_left_sources(path(), origin);
  }

  std::optional<os::TemporaryDirectory> folder_;
};

TEST_F(WorkingFolderTest, WhatWasLaidOutIsReadBack) {
  lay({{"kernel.cpp", "k"}, {"include/deep/a.hpp", ""}});
  const LeftSources sources = left();
  EXPECT_EQ(sources.fault, "");
  ASSERT_EQ(sources.sources.size(), 2U);
  EXPECT_EQ(sources.sources[0].path, "include/deep/a.hpp");
  EXPECT_EQ(sources.sources[0].content, "");
  EXPECT_EQ(sources.sources[1].content, "k");
  EXPECT_EQ(os::read_file(path() / kPromptFile).value(), "prompt");
}

TEST_F(WorkingFolderTest, EverythingInItCanBeWrittenByNobody) {
  lay({{"a/kernel.cpp", "k"}});
  for (const char* name : {".", "candidate", "candidate/a", "candidate/a/kernel.cpp", "PROMPT.md", ".home"}) {
    struct stat facts{};
    ASSERT_EQ(::stat((path() / name).c_str(), &facts), 0) << name;
    EXPECT_NE(facts.st_mode & S_IWOTH, 0U) << name;
  }
}

TEST_F(WorkingFolderTest, MoreThanTheBoundsIsAFault) {
  lay({});
  for (std::size_t i = 0; i <= kMostSources; ++i) {
    ASSERT_TRUE(os::write_file_atomic(path() / "candidate" / (std::to_string(i) + ".h"), "x"));
  }
  EXPECT_THAT(left().fault, HasSubstr("more than 64 files"));
}

TEST_F(WorkingFolderTest, ABigFileIsAFaultAndIsNotRead) {
  lay({{"kernel.cpp", "k"}});
  std::filesystem::resize_file(path() / "candidate/kernel.cpp", kMostSourceBytes + 1);
  EXPECT_THAT(left().fault, HasSubstr("4.0 MiB"));
}

TEST_F(WorkingFolderTest, FilesAreAddedBesideAndTextsReadBackUnlessTheyAreLinksOrTooLong) {
  lay({});
  ASSERT_TRUE(add_files(path(), {{"parents/3/include/a.hpp", "a"}}));
  struct stat facts{};
  ASSERT_EQ(::stat((path() / "parents/3/include").c_str(), &facts), 0);
  EXPECT_NE(facts.st_mode & S_IWOTH, 0U);
  EXPECT_TRUE(left().sources.empty()) << "beside the candidate";
  EXPECT_FALSE(read_left_file(path(), kAnswerFile, 10));
  ASSERT_TRUE(os::write_file_atomic(path() / kAnswerFile, "{\"a\": 1}"));
  EXPECT_EQ(read_left_file(path(), kAnswerFile, 10), "{\"a\": 1}");
  EXPECT_FALSE(read_left_file(path(), kAnswerFile, 5));
  ASSERT_TRUE(os::remove_tree(path() / kAnswerFile));
  std::filesystem::create_symlink("/etc/hostname", path() / kAnswerFile);
  EXPECT_FALSE(read_left_file(path(), kAnswerFile, 1000));
}

TEST_F(WorkingFolderTest, AHypothesisIsWhatItStatesAndNoMore) {
  lay({});
  EXPECT_EQ(read_hypothesis(path()).change, "not stated");
  ASSERT_TRUE(os::write_file_atomic(path() / "hypothesis.json",
                                    "{\"change\": \"vectorise\\nloads\\u001b[2J\", \"regime\": 5}"));
  const Hypothesis hypothesis = read_hypothesis(path());
  EXPECT_THAT(hypothesis.change, HasSubstr("vectorise loads"));
  EXPECT_EQ(hypothesis.change.find('\x1b'), std::string::npos);
  EXPECT_EQ(hypothesis.regime, "all");
  ASSERT_TRUE(os::remove_tree(path() / "hypothesis.json"));
  std::filesystem::create_symlink("/etc/passwd", path() / "hypothesis.json");
  EXPECT_EQ(read_hypothesis(path()).change, "not stated");
}

}  // namespace
}  // namespace assay::agent
