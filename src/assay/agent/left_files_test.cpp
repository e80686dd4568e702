// Everything odd that an agent may leave is its own doing: ignored and named, or a fault of its proposal. Never an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <assay/agent/working_folder.hpp>

namespace assay::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LeftFilesTest : public ::testing::Test {
 protected:
  void SetUp() override { begin(); }
  void begin() {
    folder_.emplace(os::TemporaryDirectory::create(::testing::TempDir(), "assay-left-").value());
    origin_.spec.entry_point = "kernel.cpp::run";
    origin_.sources = {{"kernel.cpp", "k"}};
    ASSERT_TRUE(lay_out(folder_->path(), "prompt", "{}", origin_.sources));
  }
  [[nodiscard]] os::Path candidate() const { return folder_->path() / "candidate"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(candidate() / name, std::ios::binary) << text;
  }
  [[nodiscard]] LeftSources left() const { return read_left_sources(folder_->path(), origin_); }

  std::optional<os::TemporaryDirectory> folder_;
  task::Solution origin_;
};

TEST_F(LeftFilesTest, WhatNoBuildTakesIsIgnoredAndNamed) {
  write("notes.txt", "I widened it.");
  write("a.out", std::string(kMostSourceBytes + 1, '\x7f'));
  write("bad\xff\nname", "x");
  write(".hidden.hpp", "x");
  std::filesystem::create_directories(candidate() / ".git/objects/ab");
  std::filesystem::create_directories(candidate() / "empty");
  ASSERT_EQ(::mkfifo((candidate() / "pipe").c_str(), 0666), 0);
  std::filesystem::create_symlink("/etc/passwd", candidate() / "passwd");
  std::filesystem::create_directory_symlink("/etc", candidate() / "etc");
  const LeftSources sources = left();
  EXPECT_EQ(sources.fault, "");
  ASSERT_THAT(sources.sources, SizeIs(1));
  EXPECT_EQ(sources.sources[0].content, "k");
  EXPECT_EQ(sources.ignored_count, 8U);
  const std::string words = left_words(sources);
  EXPECT_THAT(words, HasSubstr("; ignored, for no build takes it: "));
  for (const char* name :
       {"notes.txt", "a.out", "bad\xEF\xBF\xBD name", ".hidden.hpp", ".git", "pipe", "passwd", "etc"}) {
    EXPECT_THAT(words, HasSubstr(name));
  }
  EXPECT_EQ(words.find('\n'), std::string::npos);
}

TEST_F(LeftFilesTest, OfManyTheFirstAreNamedAndTheOthersCounted) {
  for (int i = 0; i < 20; ++i) {
    write("note" + std::to_string(i), "x");
  }
  EXPECT_THAT(left().ignored, SizeIs(kMostIgnoredShown));
  EXPECT_THAT(left_words(left()), HasSubstr(" and 12 more"));
}

TEST_F(LeftFilesTest, WhatLiesTooDeepIsIgnoredAndSourcesInFoldersAreNot) {
  std::filesystem::create_directories(candidate() / "a/b/c/d/e");
  write("a/b/c/d/good.hpp", "x");
  write("a/b/c/d/e/deep.hpp", "x");
  EXPECT_THAT(left().sources, SizeIs(2));
  EXPECT_THAT(left().ignored, ElementsAre("a/b/c/d/e"));
}

// What has a source's name was meant as one: without it, half of a candidate would be judged.
TEST_F(LeftFilesTest, ASourceThatIsNoPlainTextFileIsAFaultOfTheProposal) {
  struct Odd {
    std::function<void()> make;
    const char* fault;
  };
  const std::vector<Odd> all = {
      {[&] { std::filesystem::create_symlink("/etc/passwd", candidate() / "more.hpp"); }, "is it a link"},
      {[&] { std::filesystem::create_symlink("kernel.cpp", candidate() / "more.hpp"); }, "is it a link"},
      {[&] { ASSERT_EQ(::mkfifo((candidate() / "more.hpp").c_str(), 0666), 0); }, "no regular file"},
      {[&] { write("more.hpp", "// \xff\xfe"); }, "not UTF-8"},
      {[&] { write("more.hpp", std::string(kMostSourceBytes, 'x')); }, "4.0 MiB"},
      {[&] { std::filesystem::remove(candidate() / "kernel.cpp"); }, "no file is left"},
      {[&] {
         std::filesystem::remove(candidate() / "kernel.cpp");
         write("other.cpp", "x");
       },
       "no file \"kernel.cpp\""},
      {[&] {
         std::filesystem::remove(candidate() / "kernel.cpp");
         std::filesystem::create_directories(candidate() / "kernel.cpp");
       },
       "no file is left"},
      {[&] { std::filesystem::remove_all(candidate()); }, "no file is left"},
      {[&] {
         std::filesystem::remove_all(candidate());
         std::filesystem::create_directory_symlink("/etc", candidate());
       },
       "no file is left"}};
  for (const Odd& odd : all) {
    begin();
    odd.make();
    const LeftSources sources = left();
    EXPECT_THAT(sources.fault, HasSubstr(odd.fault));
    EXPECT_THAT(sources.sources, IsEmpty()) << odd.fault;
    EXPECT_THAT(left_words(sources), HasSubstr("; no candidate is left: "));
  }
}

TEST_F(LeftFilesTest, ASocketIsNoSource) {
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(made, 0);
  // A socket's path is short: it is made by its name alone.
  const os::Path before = std::filesystem::current_path();
  std::filesystem::current_path(candidate());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string("more.hpp").copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::filesystem::current_path(before);
  EXPECT_THAT(left().fault, HasSubstr("more.hpp"));
  ::close(made);
}

TEST_F(LeftFilesTest, AFolderThatCannotBeEnteredIsAFault) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root enters everything";
  }
  std::filesystem::create_directories(candidate() / "closed");
  std::filesystem::permissions(candidate() / "closed", std::filesystem::perms::none);
  EXPECT_THAT(left().fault, HasSubstr("closed/ cannot be read"));
  std::filesystem::permissions(candidate() / "closed", std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace assay::agent
