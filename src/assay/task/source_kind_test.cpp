#include <assay/task/source_kind.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace assay::task {
namespace {

TEST(SourceKind, IsWhatTheEndingSays) {
  EXPECT_EQ(source_kind("kernel.cpp", Language::cpp), SourceKind::cxx);
  EXPECT_EQ(source_kind("a/b.c", Language::cpp), SourceKind::c);
  EXPECT_EQ(source_kind("a.b/c.hpp", Language::cpp), SourceKind::header);
  EXPECT_EQ(source_kind("kernel.cu", Language::cuda), SourceKind::cuda);
}

TEST(SourceKind, ABuildTakesNothingElse) {
  for (const char* name :
       {"", "notes.txt", "kernel", "a.cpp/notes", ".cpp", "a/.h", "kernel.cpp~", "kernel.CPP", "a.o"}) {
    EXPECT_FALSE(source_kind(name, Language::cpp)) << name;
    EXPECT_FALSE(source_kind(name, Language::cuda)) << name;
  }
  EXPECT_FALSE(source_kind("kernel.cu", Language::cpp)) << "only a CUDA solution has CUDA sources";
}

TEST(SourceKind, EachEndingThatIsNamedIsTaken) {
  for (const Language language : {Language::cpp, Language::cuda}) {
    const std::string endings = source_endings(language);
    EXPECT_NE(endings.find(".cpp"), std::string::npos);
    EXPECT_EQ(endings.find(".cuh") != std::string::npos, language == Language::cuda);
    for (std::size_t at = 0; at < endings.size();) {
      const std::size_t end = std::min(endings.find(' ', at), endings.size());
      EXPECT_TRUE(source_kind("x" + endings.substr(at, end - at), language)) << endings;
      at = end + 1;
    }
  }
}

}  // namespace
}  // namespace assay::task
