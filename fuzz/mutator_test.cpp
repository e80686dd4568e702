#include "mutator.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace assay::fuzz {
namespace {

const std::vector<Input> kSeeds = {{1, 2, 3, 4, 5, 6, 7, 8}, {100, 101, 102}};

TEST(Mutate, IsDeterminedByTheSeed) {
  base::Philox first(7, 1);
  base::Philox second(7, 1);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(mutate(kSeeds, first), mutate(kSeeds, second));
  }
}

TEST(Mutate, MakesShorterLongerAndJoinedInputs) {
  base::Philox random(3, 1);
  std::set<Input> seen;
  bool shorter = false;
  bool longer = false;
  bool joined = false;
  for (int i = 0; i < 2000; ++i) {
    const Input input = mutate(kSeeds, random);
    const auto has = [&](std::uint8_t byte) { return std::find(input.begin(), input.end(), byte) != input.end(); };
    shorter = shorter || input.size() < 3;
    longer = longer || input.size() > 8;
    joined = joined || (has(5) && has(102));
    seen.insert(input);
  }
  EXPECT_GT(seen.size(), 1000U);
  EXPECT_TRUE(shorter && longer && joined);
}

TEST(Mutate, AnEmptySeedGrowsAndNothingGrowsWithoutBound) {
  base::Philox random(5, 1);
  std::vector<Input> seeds = {{}, Input(std::size_t{1} << 16U, 9)};
  bool grew = false;
  for (int i = 0; i < 300; ++i) {
    const Input input = mutate(seeds, random);
    grew = grew || (!input.empty() && input.size() < 1000);
    EXPECT_LE(input.size(), std::size_t{1} << 16U);
  }
  EXPECT_TRUE(grew);
}

}  // namespace
}  // namespace assay::fuzz
