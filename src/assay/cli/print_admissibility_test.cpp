#include <assay/cli/print_admissibility.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using report::Colour;
using ::testing::HasSubstr;
using ::testing::Not;

task::Admissibility sample_admissibility() {
  task::Admissibility result;
  result.definition = "gdn";
  result.honest_trials = 4;
  result.honest_passed = 4;
  result.impostors = {{"y", "zeros", 4, 4, 1}, {"y", "stale", 4, 4, 4}};
  result.inputs = {{"x", 2, 2}, {"bias", 0, 0}};
  return result;
}

TEST(PrintAdmissibility, AProvedToleranceSaysSoBesideTheContests) {
  const std::string text = print_admissibility(sample_admissibility(), Colour::off);
  EXPECT_THAT(text, HasSubstr("gdn: the right answer, rounded to its type, passes in 4 of 4 trials"));
  EXPECT_THAT(text, HasSubstr("zeros     4 of 4    1 of 4"));
  EXPECT_THAT(text, HasSubstr("never changed alone"));
  EXPECT_THAT(text, HasSubstr("tell every impostor from a right answer; those of flashinfer-bench let 1 of 2 kinds"));
}

TEST(PrintAdmissibility, WhatIsNotProvedIsSaid) {
  task::Admissibility result = sample_admissibility();
  result.honest_passed = 3;
  result.honest_reason = "y[0] is 1";
  const std::string text = print_admissibility(result, Colour::off);
  EXPECT_THAT(text, HasSubstr("3 of 4 trials\n  y[0] is 1\n"));
  EXPECT_THAT(text, HasSubstr("not proved"));
  EXPECT_THAT(text, Not(HasSubstr("tell every impostor")));
}

}  // namespace
}  // namespace assay::cli
