#include <assay/service/siblings.hpp>

#include <gtest/gtest.h>

namespace assay::service {
namespace {

task::Solution of_lines(const std::string& text) {
  task::Solution solution;
  solution.sources = {{"kernel.cpp", text}};
  return solution;
}

TEST(Siblings, ShareHalfTheLinesOfTheShorter) {
  const Siblings siblings(of_lines("int a;\nint b;\nint c;\nint d;\n"));
  EXPECT_TRUE(siblings.include(of_lines("int a;\nint b;\nint x;\nint y;\n")));
  EXPECT_FALSE(siblings.include(of_lines("int a;\nint x;\nint y;\nint z;\n")));
  EXPECT_TRUE(siblings.include(of_lines("  int a;\nint x;\n"))) << "half of two, whatever the indentation";
}

TEST(Siblings, WhatIsInEverybodysCodeMakesNone) {
  const Siblings siblings(of_lines("// the same words\n{\n}\nint a;\n"));
  EXPECT_FALSE(siblings.include(of_lines("// the same words\n{\n}\nint b;\n")));
  EXPECT_FALSE(siblings.include(of_lines("")));
  EXPECT_FALSE(Siblings(of_lines("")).include(of_lines("")));
}

}  // namespace
}  // namespace assay::service
