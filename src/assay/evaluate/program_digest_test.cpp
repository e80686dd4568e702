#include <assay/evaluate/program_digest.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include <assay/os/file.hpp>

namespace assay::evaluate {
namespace {

class ProgramDigestTest : public testing::Test {
 protected:
  void SetUp() override { write("the first program"); }

  void write(const std::string& bytes) const { ASSERT_TRUE(os::write_file_atomic(program_, bytes)); }

  [[nodiscard]] std::string digest() const {
    const auto found = program_digest(program_, cache_);
    return found ? found->hex() : found.error().text();
  }

  [[nodiscard]] std::vector<std::string> kept() const {
    return os::list_directory(cache_ / "programs").value_or(std::vector<std::string>{});
  }

  // What a digest is kept of has to lie still for two seconds; a test does not wait that long. The time of an inode's change
  // cannot be set, so another file that has lain still stands in.
  [[nodiscard]] static os::Path old_program() { return "/bin/sh"; }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "assay-program-digest-").value();
  os::Path program_ = folder_.path() / "program";
  os::Path cache_ = folder_.path() / "cache";
};

TEST_F(ProgramDigestTest, IsThatOfTheBytes) { EXPECT_EQ(digest(), base::sha256("the first program").hex()); }

TEST_F(ProgramDigestTest, NothingIsKeptOfAFileThatChangedJustNow) {
  EXPECT_EQ(digest(), base::sha256("the first program").hex());
  EXPECT_TRUE(kept().empty());
  write("another program..");
  EXPECT_EQ(digest(), base::sha256("another program..").hex());
}

TEST_F(ProgramDigestTest, ATimeThatWasSetBackHelpsNobody) {
  const timespec long_ago[] = {{1, 0}, {1, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, program_.c_str(), long_ago, 0), 0);
  EXPECT_EQ(digest(), base::sha256("the first program").hex());
  EXPECT_TRUE(kept().empty()) << "the inode changed when its time was set";
  const int same_inode = ::open(program_.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::pwrite(same_inode, "THE", 3, 0), 3);
  ::close(same_inode);
  ASSERT_EQ(::utimensat(AT_FDCWD, program_.c_str(), long_ago, 0), 0);
  EXPECT_EQ(digest(), base::sha256("THE first program").hex());
}

class KeptProgramDigestTest : public ProgramDigestTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(program_digest(old_program(), cache_));
    ASSERT_EQ(kept().size(), 1U);
    file_ = cache_ / "programs" / kept().front();
    text_ = os::read_file(file_).value();
  }

  [[nodiscard]] std::string again() const { return program_digest(old_program(), cache_).value().hex(); }
  [[nodiscard]] static std::string truth() { return base::sha256(os::read_file(old_program()).value()).hex(); }

  os::Path file_;
  std::string text_;
};

TEST_F(KeptProgramDigestTest, IsTakenFromTheCacheTheNextTime) {
  EXPECT_EQ(again(), truth());
  const std::string other(64, 'a');
  std::string changed = text_;
  changed.replace(changed.find('\n') + 1, 64, other);
  ASSERT_TRUE(os::write_file_atomic(file_, changed));
  EXPECT_EQ(again(), other) << "the program is read again";
}

TEST_F(KeptProgramDigestTest, WhatTellsOfAnotherFileOrIsNotWholeIsReplaced) {
  for (const std::string& broken :
       {std::string(), std::string("nothing\n"), "inode 1" + text_, text_.substr(0, text_.size() - 2),
        text_.substr(0, text_.find('\n') + 1) + "no digest\n", text_ + "more"}) {
    ASSERT_TRUE(os::write_file_atomic(file_, broken));
    EXPECT_EQ(again(), truth()) << broken;
    EXPECT_EQ(os::read_file(file_).value(), text_) << broken;
  }
}

TEST_F(KeptProgramDigestTest, WithoutACacheNothingIsKept) {
  EXPECT_EQ(program_digest(old_program(), {}).value().hex(), truth());
}

TEST_F(ProgramDigestTest, AProgramThatIsNotThereIsTheMachines) {
  const auto found = program_digest(folder_.path() / "none", cache_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().owner, base::Owner::environment);
  EXPECT_NE(found.error().text().find("none: No such file"), std::string::npos) << found.error().text();
}

}  // namespace
}  // namespace assay::evaluate
