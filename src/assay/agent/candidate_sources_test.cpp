#include <assay/agent/candidate_sources.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/agent/working_folder.hpp>

namespace assay::agent {
namespace {

using ::testing::HasSubstr;

task::Solution origin_with(const std::string& entry, task::Language language = task::Language::cpp) {
  task::Solution origin;
  origin.spec.entry_point = entry + "::run";
  origin.spec.language = language;
  return origin;
}

TEST(CandidateFault, SaysWhatIsWrongWithSources) {
  task::Solution origin = origin_with("kernel.cpp");
  const auto fault = [&](const std::vector<task::SourceFile>& sources) { return candidate_fault(sources, origin); };
  EXPECT_EQ(fault({{"kernel.cpp", "x"}, {"a/b.h", "y"}}), "");
  EXPECT_THAT(fault({}), HasSubstr("no file \"kernel.cpp\""));
  EXPECT_THAT(fault({{"other.cpp", "x"}}), HasSubstr("no file \"kernel.cpp\""));
  EXPECT_THAT(fault({{"../kernel.cpp", "x"}}), HasSubstr("../kernel.cpp"));
  EXPECT_THAT(fault({{"/etc/passwd", "x"}}), HasSubstr("/etc/passwd"));
  EXPECT_THAT(fault({{"kernel.cpp", "x"}, {"./kernel.cpp", "y"}}), HasSubstr("twice"));
  for (const char* name :
       {"notes.txt", "-o.cpp", "@response.cpp", "a b.h", "kernel.cu", "x", "a;b.h", ".cpp", "a/.h"}) {
    EXPECT_THAT(fault({{"kernel.cpp", "x"}, {name, "y"}}), HasSubstr("a source is named by")) << name;
  }
  origin.spec.language = task::Language::cuda;
  EXPECT_EQ(fault({{"kernel.cpp", "x"}, {"more/kernel.cu", "y"}}), "");
  EXPECT_THAT(fault({{"kernel.cpp", std::string(kMostSourceBytes + 1, 'x')}}), HasSubstr("4.0 MiB"));
  EXPECT_THAT(fault(std::vector<task::SourceFile>(65, {"kernel.cpp", ""})), HasSubstr("twice"));
  std::vector<task::SourceFile> many;
  for (int i = 0; i < 65; ++i) {
    many.push_back({std::to_string(i) + ".h", ""});
  }
  EXPECT_THAT(fault(many), HasSubstr("64 files"));
}

TEST(CandidateFault, WhatIsNoTextIsNone) {
  const task::Solution origin = origin_with("kernel.cpp");
  EXPECT_THAT(candidate_fault({{"kernel.cpp", "int x; // \xff"}}, origin), HasSubstr("not UTF-8"));
  EXPECT_EQ(candidate_fault({{"kernel.cpp", std::string("// \xc3\xa9 \0 \x01", 9)}}, origin), "");
}

// The judge would refuse to build it, and that is an error of the request there.
TEST(CandidateFault, ADeviceOnlyCandidateHasOneSourceForTheDevice) {
  const task::Solution origin = origin_with("plan.json", task::Language::cuda);
  ASSERT_EQ(task::tier_of(origin), task::Tier::device_only);
  EXPECT_EQ(candidate_fault({{"plan.json", "{}"}, {"k.cu", ""}, {"k.cuh", ""}}, origin), "");
  EXPECT_THAT(candidate_fault({{"plan.json", "{}"}, {"k.cu", ""}, {"l.cu", ""}}, origin), HasSubstr("one source"));
  EXPECT_THAT(candidate_fault({{"plan.json", "{}"}, {"k.cpp", ""}}, origin), HasSubstr("one source"));
  EXPECT_THAT(candidate_fault({{"plan.json", "{}"}}, origin), HasSubstr("one source"));
}

}  // namespace
}  // namespace assay::agent
