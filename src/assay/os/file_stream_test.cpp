#include <assay/os/file_stream.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace assay::os {
namespace {

using ::testing::HasSubstr;

class FileStreamTest : public ::testing::Test {
 protected:
  Path path(const std::string& name) const { return folder_.path() / name; }
  Path write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(write_file_atomic(path(name), text));
    return path(name);
  }

  TemporaryDirectory folder_ = TemporaryDirectory::create(::testing::TempDir(), "stream-").value();
};

std::span<const std::byte> bytes_of_text(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST_F(FileStreamTest, ReadsAnyPlace) {
  const auto reader = FileReader::open(write("x", "0123456789"));
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->size(), 10U);
  std::array<char, 3> got{};
  const auto into = std::as_writable_bytes(std::span(got));
  ASSERT_TRUE(reader->read_at(7, into));
  EXPECT_EQ(std::string(got.data(), got.size()), "789");
  ASSERT_TRUE(reader->read_at(0, into));
  EXPECT_EQ(got[0], '0');
  EXPECT_TRUE(reader->read_at(10, {}));
  for (const std::uint64_t offset : {std::uint64_t{8}, std::uint64_t{10}, std::uint64_t{1} << 40U}) {
    const auto past = reader->read_at(offset, into);
    ASSERT_FALSE(past) << offset;
    EXPECT_EQ(past.error().code, "file.truncated");
    EXPECT_EQ(past.error().owner, base::Owner::input);
    EXPECT_THAT(past.error().message, HasSubstr(path("x").string()));
  }
}

TEST_F(FileStreamTest, AFileThatShrinksWhileItIsReadIsTruncated) {
  const auto reader = FileReader::open(write("x", std::string(100, 'x')));
  ASSERT_TRUE(reader);
  std::filesystem::resize_file(path("x"), 10);
  std::array<std::byte, 20> into{};
  EXPECT_EQ(reader->read_at(0, into).error().code, "file.truncated");
}

TEST_F(FileStreamTest, OnlyRegularFilesAreOpened) {
  EXPECT_EQ(FileReader::open(path("none")).error().code, "file.not_found");
  EXPECT_EQ(FileReader::open(write("x", "") / "below").error().code, "file.not_found");
  EXPECT_EQ(FileReader::open(folder_.path()).error().code, "file.not_regular");
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(FileReader::open(path("fifo")).error().code, "file.not_regular");
  EXPECT_EQ(FileReader::open(path("none")).error().owner, base::Owner::input);
}

TEST_F(FileStreamTest, WritesFromFrontToBack) {
  for (const Durability durability : {Durability::process, Durability::power}) {
    const Path file = path(durability == Durability::power ? "a" : "b");
    auto writer = FileWriter::create(file);
    ASSERT_TRUE(writer) << writer.error().text();
    EXPECT_TRUE(writer->append(bytes_of_text("one ")));
    EXPECT_TRUE(writer->append({}));
    EXPECT_TRUE(writer->append(bytes_of_text("two")));
    EXPECT_TRUE(writer->finish(durability));
    EXPECT_EQ(read_file(file).value(), "one two");
  }
}

TEST_F(FileStreamTest, NeverWritesOverAFile) {
  const Path file = write("x", "kept");
  const auto writer = FileWriter::create(file);
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().message, HasSubstr(file.string()));
  EXPECT_EQ(read_file(file).value(), "kept");
  EXPECT_FALSE(FileWriter::create(path("no") / "such" / "folder"));
}

TEST_F(FileStreamTest, WhatCannotBeWrittenIsTheEnvironmentsFault) {
  // A file may grow to this size only; the kernel then says so instead of killing us.
  const rlimit small = {16, 16};
  EXPECT_EXIT(
      {
        ::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &small);
        auto writer = FileWriter::create(path("x"));
        const auto first = writer->append(bytes_of_text("sixteen bytes are"));
        const bool told =
            !first && first.error().owner == base::Owner::environment && first.error().code == "file.write";
        ::_exit(told ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace assay::os
