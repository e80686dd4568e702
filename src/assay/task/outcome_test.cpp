#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <assay/task/outcome.hpp>

namespace assay::task {
namespace {

TEST(Outcome, NumbersAndSpellingsAreFixed) {
  // Archives hold both: a change here breaks them.
  const std::vector<std::pair<int, std::string_view>> fixed = {
      {1, "duplicate"},          {2, "not_built"}, {3, "crashed"},
      {4, "timed_out"},          {5, "incorrect"}, {6, "suspect"},
      {7, "protocol_violation"}, {8, "measured"},  {9, "not_better"},
      {10, "indistinguishable"}, {11, "better"},   {12, "built"}};
  const std::vector<Outcome> all = all_outcomes();
  ASSERT_EQ(all.size(), fixed.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(static_cast<int>(all[i]), fixed[i].first);
    EXPECT_EQ(to_string(all[i]), fixed[i].second);
    EXPECT_EQ(parse_outcome(fixed[i].second), all[i]);
  }
}

TEST(Outcome, UnknownSpellingsAreRefused) {
  for (const char* text : {"", "Better", "better ", "failed", "1"}) {
    EXPECT_FALSE(parse_outcome(text).has_value()) << text;
  }
}

TEST(Outcome, CorrectMeansTimedInEveryTrial) {
  std::set<std::string_view> correct;
  for (const Outcome outcome : all_outcomes()) {
    if (is_correct(outcome)) {
      correct.insert(to_string(outcome));
    }
  }
  EXPECT_THAT(correct, ::testing::ElementsAre("better", "indistinguishable", "measured", "not_better"));
}

}  // namespace
}  // namespace assay::task
