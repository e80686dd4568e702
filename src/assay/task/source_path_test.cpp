#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <rapidcheck.h>

#include <assay/task/source_path.hpp>

namespace assay::task {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

TEST(SourcePath, HasOneSpelling) {
  EXPECT_EQ(normalise_source_path("a/b.h"), "a/b.h");
  EXPECT_EQ(normalise_source_path("./a//./b.h"), "a/b.h");
  EXPECT_EQ(normalise_source_path("a"), "a");
  EXPECT_EQ(normalise_source_path("./"), "");
  EXPECT_EQ(normalise_source_path(".hidden/..c"), ".hidden/..c");
}

TEST(SourcePath, FaultsSayWhyAndWhatToDo) {
  EXPECT_THAT(source_path_fault(""), Optional(HasSubstr("name the file")));
  EXPECT_THAT(source_path_fault("/etc/passwd"), Optional(HasSubstr("relative to the solution")));
  EXPECT_THAT(source_path_fault("a/../../b"), Optional(HasSubstr("path inside it")));
  EXPECT_THAT(source_path_fault(".."), Optional(HasSubstr("path inside it")));
  EXPECT_THAT(source_path_fault("a/"), Optional(HasSubstr("name a file")));
  EXPECT_THAT(source_path_fault("a/."), Optional(HasSubstr("name a file")));
  EXPECT_THAT(source_path_fault("a\tb"), Optional(HasSubstr("plain name")));
  EXPECT_THAT(source_path_fault("a\x7f"), Optional(HasSubstr("plain name")));
}

TEST(SourcePath, PlainNamesAreFine) {
  for (const char* path : {"kernel.cpp", "./kernel.cpp", "include/deep/er/x.h", "a..b", "..a", "...", "with space.h",
                           "\xC3\xA9.h", "C:\\x"}) {
    EXPECT_FALSE(source_path_fault(path).has_value()) << path;
  }
}

TEST(SourcePath, WhatIsAcceptedStaysInsideItsFolder) {
  const auto part = rc::gen::elementOf(std::vector<std::string>{"a", "b.h", ".", "..", "", "...", "..a", "/", " "});
  EXPECT_TRUE(rc::check("accepted paths stay inside", [&] {
    std::string path;
    for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(part)) {
      path += (path.empty() ? "" : "/") + piece;
    }
    if (!source_path_fault(path)) {
      const std::filesystem::path inside = (std::filesystem::path("/solutions/s") / path).lexically_normal();
      RC_ASSERT(inside.string().starts_with("/solutions/s/"));
      RC_ASSERT(inside == std::filesystem::path("/solutions/s") / normalise_source_path(path));
      RC_ASSERT(!source_path_fault(normalise_source_path(path)).has_value());
    }
  }));
}

}  // namespace
}  // namespace assay::task
