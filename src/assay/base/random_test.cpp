#include <assay/base/random.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace assay::base {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kOnes = std::numeric_limits<std::uint64_t>::max();

// The known answers for philox4x32-10 that its authors publish. Counter words 0 and 1 are the position (low word
// first), 2 and 3 the stream.
TEST(Philox, KnownAnswers) {
  EXPECT_THAT(Philox(0, 0).block(0), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(Philox(kOnes, kOnes).block(kOnes), ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  const Philox digits_of_pi(0x299f31d0a4093822U, 0x0370734413198a2eU);
  EXPECT_THAT(digits_of_pi.block(0x85a308d3243f6a88U), ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(Philox, SequentialWordsAreTheBlocks) {
  Philox words(7, 9);
  const Philox blocks(7, 9);
  for (std::uint64_t position = 0; position < 5; ++position) {
    for (const std::uint32_t word : blocks.block(position)) {
      EXPECT_EQ(words.next_u32(), word);
    }
  }
}

TEST(Philox, SixtyFourBitsAreLowWordFirst) {
  Philox pairs(7, 9);
  const auto block = Philox(7, 9).block(0);
  EXPECT_EQ(pairs.next_u64(), (std::uint64_t{block[1]} << 32U) | block[0]);
  EXPECT_EQ(pairs.next_u64(), (std::uint64_t{block[3]} << 32U) | block[2]);
}

TEST(Philox, SameNamesSameNumbersOtherNamesOthers) {
  const auto first = [](std::uint64_t seed, std::uint64_t stream) { return Philox(seed, stream).next_u64(); };
  EXPECT_EQ(first(1, 2), first(1, 2));
  const std::set<std::uint64_t> all = {first(1, 2), first(2, 1), first(1, 3), first(1ULL << 32U, 2),
                                       first(1, 2ULL << 32U)};
  EXPECT_EQ(all.size(), 5U);
}

TEST(Philox, UniformsAreInRangeAndUniform) {
  Philox random(11, 0);
  constexpr int kDraws = 100'000;
  std::array<int, 20> bins{};
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.next_uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    ++bins.at(static_cast<std::size_t>(value * 20));
  }
  // Five standard errors of the mean, and the 0.999 999 quantile of chi-square with 19 degrees of freedom. The seed is
  // fixed: the test is either right for ever or wrong for ever.
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  double chi_square = 0;
  for (const int count : bins) {
    chi_square += std::pow(count - kDraws / 20.0, 2) / (kDraws / 20.0);
  }
  EXPECT_LT(chi_square, 64.0);
  EXPECT_GT(chi_square, 3.0);  // Too even is not random either.
}

TEST(Philox, NormalsHaveTheMomentsAndTheTails) {
  Philox random(12, 0);
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  double product = 0;
  double previous = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.next_normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
    product += value * previous;
    previous = value;
    beyond_two += std::abs(value) > 2 ? 1 : 0;
  }
  const double n = kDraws;
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(fourths / n, 3, 5 * std::sqrt(96 / n));
  EXPECT_NEAR(product / n, 0, 5 / std::sqrt(n));  // Both values of a pair are used: they must not depend on each other.
  EXPECT_NEAR(beyond_two / n, 0.0455, 5 * std::sqrt(0.0455 * 0.9545 / n));
}

TEST(Philox, BelowIsUnbiasedForAnAwkwardBound) {
  // With bound 3·2^62 a plain remainder would give the lowest third twice as often.
  const std::uint64_t bound = 3ULL << 62U;
  Philox random(13, 0);
  std::array<int, 3> thirds{};
  for (int i = 0; i < 30'000; ++i) {
    const std::uint64_t value = random.next_below(bound);
    ASSERT_LT(value, bound);
    ++thirds.at(value >> 62U);
  }
  for (const int count : thirds) {
    EXPECT_NEAR(count, 10'000, 5 * std::sqrt(30'000 * 2.0 / 9));
  }
}

TEST(Philox, BelowReachesEveryValue) {
  Philox random(14, 0);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 500; ++i) {
    seen.insert(random.next_below(10));
    ASSERT_EQ(random.next_below(1), 0U);
  }
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(*seen.rbegin(), 9U);
}

RC_GTEST_PROP(Philox, BelowStaysBelow, (std::uint64_t seed)) {
  const std::uint64_t bound = *rc::gen::positive<std::uint64_t>();
  Philox random(seed, 1);
  for (int i = 0; i < 50; ++i) {
    RC_ASSERT(random.next_below(bound) < bound);
  }
}

TEST(PhiloxDeathTest, BelowZeroIsABug) { EXPECT_DEATH(static_cast<void>(Philox(1, 1).next_below(0)), "bound > 0"); }

// Persisted seeds and streams are named by these functions: the values may never change.
TEST(StreamId, NeverChanges) {
  EXPECT_EQ(stream_id(""), 0xc3817c016ba4ff30U);
  EXPECT_EQ(stream_id("inputs"), 0xe662c3ebae37bbeaU);
  EXPECT_EQ(stream_id("schedule"), 0x84363ca2903a2c41U);
  EXPECT_EQ(mix(0, 0), 0xe220a8397b1dcdafU);  // SplitMix64's first output for seed 0.
  EXPECT_EQ(mix(1, 2), 0xf893a2eefb32555eU);
  EXPECT_EQ(mix(2, 1), 0xbfc846100bfc1e42U);
}

TEST(StreamId, ShortNamesDifferInManyBits) {
  std::set<std::uint64_t> all;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) {
      all.insert(stream_id(std::string{a, b}));
    }
    const std::uint64_t difference = stream_id(std::string{a}) ^ stream_id(std::string{static_cast<char>(a + 1)});
    EXPECT_GT(__builtin_popcountll(difference), 12) << a;
  }
  EXPECT_EQ(all.size(), 26U * 26U);
  EXPECT_NE(stream_id("a"), stream_id(std::string_view("a\0", 2)));
}

TEST(EntropySeed, DoesNotRepeat) {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 100; ++i) {
    seeds.insert(entropy_seed());
  }
  EXPECT_EQ(seeds.size(), 100U);
}

}  // namespace
}  // namespace assay::base
