#include <assay/certify/files.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace assay::certify {
namespace {

using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
 protected:
  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(::testing::TempDir(), "certificate-").value();
  os::Path target_ = folder_.path() / "target";
  Files files_ = {{"certificate.json", "{}"}, {"sweep/manifest.json", "m"}, {"journal.jsonl", std::string("\0\n", 2)}};
};

TEST_F(FilesTest, AFolderComesBackAsItWasWritten) {
  ASSERT_TRUE(write_folder(target_, files_));
  EXPECT_EQ(read_folder(target_).value(), files_);
  EXPECT_EQ(read_folder(target_ / "certificate.json").value(), files_);
  EXPECT_THAT(os::list_directory(folder_.path()).value(), ::testing::ElementsAre("target"));
}

TEST_F(FilesTest, AnExistingFolderIsLeftAlone) {
  ASSERT_TRUE(os::create_directories(target_));
  const auto written = write_folder(target_, files_);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().owner, base::Owner::input);
  EXPECT_THAT(os::list_directory(target_).value(), ::testing::IsEmpty());
}

TEST_F(FilesTest, WhatAnInterruptedWriterLeftIsReplaced) {
  ASSERT_TRUE(os::create_directories(folder_.path() / "target.partial" / "old"));
  ASSERT_TRUE(write_folder(target_, files_));
  EXPECT_EQ(read_folder(target_).value(), files_);
}

TEST_F(FilesTest, AFolderWithoutACertificateIsAnErrorOfTheInput) {
  ASSERT_TRUE(os::create_directories(target_));
  for (const os::Path& path : {target_, target_ / "certificate.json", folder_.path() / "nowhere"}) {
    const auto files = read_folder(path);
    ASSERT_FALSE(files) << path;
    EXPECT_EQ(files.error().owner, base::Owner::input);
    EXPECT_EQ(files.error().code, "certificate.not_found");
    EXPECT_THAT(files.error().message, HasSubstr(path.string()));
  }
}

TEST_F(FilesTest, ALinkIsRefused) {
  ASSERT_TRUE(write_folder(target_, files_));
  std::filesystem::create_symlink("/etc/hostname", target_ / "sweep" / "request.json");
  const auto files = read_folder(target_);
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().message, HasSubstr("sweep/request.json"));
}

TEST_F(FilesTest, FoldersWithoutEndAreRefused) {
  ASSERT_TRUE(write_folder(target_, files_));
  ASSERT_TRUE(os::create_directories(target_ / "a" / "b" / "c" / "d" / "e"));
  EXPECT_EQ(read_folder(target_).error().code, "certificate.folder");
}

}  // namespace
}  // namespace assay::certify
