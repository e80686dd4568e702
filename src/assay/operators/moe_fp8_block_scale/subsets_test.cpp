#include <assay/operators/moe_fp8_block_scale/subsets.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <limits>

#include <assay/base/random.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

using Subsets = std::vector<std::vector<std::size_t>>;

Subsets sorted(Subsets subsets) {
  std::sort(subsets.begin(), subsets.end());
  return subsets;
}

/// Tries every subset.
Subsets by_definition(const std::vector<double>& scores, std::size_t take, double margin) {
  Subsets legal;
  for (unsigned bits = 0; bits < 1U << scores.size(); ++bits) {
    double smallest_in = std::numeric_limits<double>::infinity();
    double largest_out = -smallest_in;
    std::vector<std::size_t> subset;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if ((bits >> i & 1U) != 0) {
        subset.push_back(i);
        smallest_in = std::min(smallest_in, scores[i]);
      } else {
        largest_out = std::max(largest_out, scores[i]);
      }
    }
    if (subset.size() == take && smallest_in >= largest_out - margin) {
      legal.push_back(subset);
    }
  }
  return sorted(legal);
}

TEST(LargestSubsets, ThereIsOneWhenScoresAreApart) {
  const std::vector<double> scores = {1, 5, 3, 4};
  EXPECT_EQ(largest_subsets(scores, 1, 0.5, 9), (Subsets{{1}}));
  EXPECT_EQ(largest_subsets(scores, 2, 0.5, 9), (Subsets{{1, 3}}));
  EXPECT_EQ(largest_subsets(scores, 4, 0.5, 9), (Subsets{{0, 1, 2, 3}}));
}

TEST(LargestSubsets, EqualScoresMayBeExchanged) {
  const std::vector<double> scores = {2, 7, 2, 1, 2};
  EXPECT_EQ(sorted(*largest_subsets(scores, 3, 0, 9)), (Subsets{{0, 1, 2}, {0, 1, 4}, {1, 2, 4}}));
}

TEST(LargestSubsets, WhatIsFurtherApartThanTheMarginMayNot) {
  // 3.0 and 2.8 may be exchanged, 2.8 and 2.6 too, but 2.6 cannot come in while 3.0 stays out.
  const std::vector<double> scores = {3.0, 2.8, 2.6};
  EXPECT_EQ(sorted(*largest_subsets(scores, 1, 0.25, 9)), (Subsets{{0}, {1}}));
  EXPECT_EQ(sorted(*largest_subsets(scores, 2, 0.25, 9)), (Subsets{{0, 1}, {0, 2}}));
}

TEST(LargestSubsets, AgreesWithTryingAllOfThem) {
  base::Philox random(3, 4);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> scores(1 + random.next_below(9));
    for (double& score : scores) {
      score = static_cast<double>(random.next_below(8)) / 8 + 1e-3 * random.next_uniform();
    }
    const std::size_t take = 1 + random.next_below(scores.size());
    const double margin = 0.2 * random.next_uniform();
    const auto got = largest_subsets(scores, take, margin, 1000);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(sorted(*got), by_definition(scores, take, margin));
  }
}

TEST(LargestSubsets, TooManyAreNotListed) {
  const std::vector<double> scores(10, 1.0);
  EXPECT_EQ(largest_subsets(scores, 5, 0, 252)->size(), 252U);
  EXPECT_FALSE(largest_subsets(scores, 5, 0, 251).has_value());
  const std::vector<double> many(256, 1.0);
  EXPECT_FALSE(largest_subsets(many, 8, 0, 256).has_value());
}

TEST(LargestSubsetsDeathTest, NoneAndMoreThanThereAreAreBugs) {
  const std::vector<double> scores = {1, 2};
  EXPECT_DEATH(static_cast<void>(largest_subsets(scores, 0, 0, 9)), "take > 0");
  EXPECT_DEATH(static_cast<void>(largest_subsets(scores, 3, 0, 9)), "take <=");
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
