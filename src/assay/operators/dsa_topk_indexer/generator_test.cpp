#include <assay/operators/dsa_topk_indexer/generator.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <set>

#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/scores.hpp>
#include <assay/operators/dsa_topk_indexer/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

using testing::Each;
using testing::ElementsAreArray;
using testing::Le;

using Bytes = std::vector<std::vector<std::byte>>;

Bytes bytes_of_inputs(OperatorTrial& trial) {
  Bytes result;
  for (std::size_t input = 0; input < kInputCount; ++input) {
    const auto& bytes = trial.input(input).bytes;
    result.emplace_back(bytes.begin(), bytes.end());
  }
  return result;
}

Bytes generate(std::uint64_t seed, const std::string& uuid, std::uint64_t call) {
  OperatorTrial trial = official_trial(small(), make_workload(kSmall, {300, 20, 5, 64}, uuid, 30), seed, call);
  return bytes_of_inputs(trial);
}

task::Workload without_lengths(std::int64_t rows, std::int64_t width, std::int64_t pages, std::string uuid) {
  task::Workload workload;
  workload.uuid = std::move(uuid);
  workload.axes = {{"batch_size", rows}, {"max_num_pages", width}, {"num_pages", pages}};
  return workload;
}

TEST(DsaTopkGenerator, TheSameSeedWorkloadAndCallGiveTheSameBytes) {
  EXPECT_EQ(generate(1, "u", 5), generate(1, "u", 5));
}

TEST(DsaTopkGenerator, ACallDoesNotDependOnTheCallsBeforeItButForPagesThatNobodyHas) {
  const task::Workload workload = make_workload(kSmall, {300, 20}, "u");
  const auto generator = small().make_generator(1);
  OperatorTrial used(small(), workload);
  for (const std::uint64_t call : {9U, 2U, 5U}) {
    generator->fill(workload, call, used.arguments());
  }
  OperatorTrial fresh = official_trial(small(), workload, 1, 5);
  EXPECT_EQ(used.reference(), fresh.reference());
}

TEST(DsaTopkGenerator, AnotherSeedWorkloadOrCallGivesOtherBytesInEveryTensorButTheLengths) {
  const Bytes first = generate(1, "u", 5);
  for (const Bytes& other : {generate(2, "u", 5), generate(1, "w", 5), generate(1, "u", 6)}) {
    for (const std::size_t input : {kQuery, kCache, kWeights, kBlockTable}) {
      EXPECT_NE(first[input], other[input]) << input;
    }
    EXPECT_EQ(first[kSeqLens], other[kSeqLens]) << "they decide how long a call takes";
  }
}

TEST(DsaTopkGenerator, TheAnswerOfTheCallBeforeIsNeverRight) {
  // Also where it does not depend on scores: all of these rows are short.
  for (const std::vector<std::int64_t>& lengths : {std::vector<std::int64_t>{3}, {20, 5, 64}, {300, 20}}) {
    const task::Workload workload = make_workload(kSmall, lengths, "before");
    const auto generator = small().make_generator(3);
    OperatorTrial trial(small(), workload);
    for (std::uint64_t call = 0; call < 20; ++call) {
      generator->fill(workload, call, trial.arguments());
      const auto expected = trial.reference();
      ASSERT_NE(trial.judge(expected), "") << call;
      write_expected(trial, expected);
      ASSERT_EQ(trial.judge(expected), "");
    }
  }
}

TEST(DsaTopkGenerator, OnlyPagesThatTheTableNamesAreWritten) {
  const task::Workload workload = make_workload(kSmall, {300, 20, 1}, "pages", 1, 200);
  const auto generator = small().make_generator(1);
  std::set<std::int32_t> ever;
  for (std::uint64_t call = 0; call < 30; ++call) {
    OperatorTrial trial(small(), workload);
    const std::span<std::byte> cache = trial.input(kCache).bytes;
    std::fill(cache.begin(), cache.end(), std::byte{0x55});
    generator->fill(workload, call, trial.arguments());
    const auto table = trial.in<std::int32_t>(kBlockTable);
    const std::set<std::int32_t> named(table.begin(), table.end());
    ever.insert(named.begin(), named.end());
    for (std::size_t page = 0; page < trial.axis("num_pages"); ++page) {
      const auto bytes = cache.subspan(page * kSmall.page_bytes(), kSmall.page_bytes());
      const auto old = std::count(bytes.begin(), bytes.end(), std::byte{0x55});
      if (named.count(static_cast<std::int32_t>(page)) == 0) {
        EXPECT_EQ(static_cast<std::size_t>(old), bytes.size()) << page;
      } else {
        EXPECT_LT(old, 60) << page;
      }
    }
  }
  // 21 pages, at 16 neighbouring places, and page 0.
  EXPECT_LE(ever.size(), 37U);
}

TEST(DsaTopkGenerator, ContentsAreWhatTheHeaderSays) {
  OperatorTrial trial = official_trial(contest(), make_workload(kContest, {3000}, "moments"), 8);
  const Call call = call_of(trial, kContest);
  double sum = 0;
  double square = 0;
  std::set<std::vector<std::byte>> keys;
  for (std::size_t position = 0; position < 3000; ++position) {
    const std::size_t token = call.token(0, position);
    const auto key = call.cache.subspan(kContest.key_at(token), 128);
    const auto scale = static_cast<double>(load<float>(call.cache.subspan(kContest.scale_at(token)), 0));
    double largest = 0;
    for (const std::byte bits : key) {
      const double value = float8_value(bits) * scale;
      sum += value;
      square += value * value;
      largest = std::max(largest, std::fabs(float8_value(bits)));
    }
    ASSERT_EQ(largest, 448);
    keys.insert({key.begin(), key.end()});
  }
  EXPECT_EQ(keys.size(), 3000U) << "no token is there twice";
  EXPECT_NEAR(sum / (3000 * 128), 0, 0.01);
  EXPECT_NEAR(square / (3000 * 128), 1, 0.02);
  double query_square = 0;
  std::size_t cut_off = 0;
  for (const std::byte bits : call.query) {
    ASSERT_LE(std::fabs(float8_value(bits)), 2);
    query_square += float8_value(bits) * float8_value(bits) / 8192;
    cut_off += std::fabs(float8_value(bits)) == 2 ? 1U : 0U;
  }
  EXPECT_NEAR(query_square, 0.92, 0.05);  // The variance of a normal number cut off at 2, with its ends.
  EXPECT_NEAR(static_cast<double>(cut_off) / 8192, 0.053, 0.012);  // What is beyond 1.9375 rounds to 2.
  // Scores are signed.
  const auto scores = trial.reference()[kScores];
  const auto negative = std::count_if(scores.begin(), scores.end(), [](double score) { return score < 0; });
  EXPECT_GT(negative, 100);
  EXPECT_LT(negative, 2900);
}

TEST(DsaTopkPlacement, LengthsOfTheDatasetAreTakenAsTheyAre) {
  EXPECT_THAT(row_lengths(kSmall, make_workload(kSmall, {7, 0, 99}, "u")), ElementsAreArray({7, 0, 99}));
}

TEST(DsaTopkPlacement, DerivedLengthsLookLikeTheContests) {
  std::vector<std::int32_t> all;
  std::size_t padded = 0;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t width = 20 + i % 60;
    const auto lengths = row_lengths(kContest, without_lengths(15, width, 12000, fmt::format("u{}", i)));
    ASSERT_EQ(lengths.size(), 15U);
    const std::int32_t longest = *std::max_element(lengths.begin(), lengths.end());
    EXPECT_EQ((longest + 63) / 64, width);
    EXPECT_THAT(lengths, Each(Le(width * 64)));
    EXPECT_EQ(std::count_if(lengths.begin(), lengths.end(), [](std::int32_t length) { return length > 2048; }),
              width > 32 ? 1 : 0);
    all.insert(all.end(), lengths.begin(), lengths.end());
    padded += lengths.back() == 1 ? 1U : 0U;
    EXPECT_EQ(lengths, row_lengths(kContest, without_lengths(15, width, 12000, fmt::format("u{}", i))));
  }
  std::sort(all.begin(), all.end());
  EXPECT_NEAR(all[all.size() / 2], 94, 25) << "the contest's median";
  EXPECT_NEAR(static_cast<double>(padded) / 200, 0.4, 0.12);
}

TEST(DsaTopkPlacement, RowsHaveRunsOfPagesOfTheirOwn) {
  const task::Workload workload = make_workload(kSmall, {300, 20, 150, 64, 1, 1}, "runs", 25, 300);
  const auto lengths = row_lengths(kSmall, workload);
  for (std::uint64_t call = 0; call < 10; ++call) {
    const Placement placement = place_rows(kSmall, workload, lengths, 1, call);
    std::set<std::int32_t> seen;
    std::size_t breaks = 0;
    for (std::size_t row = 0; row < 4; ++row) {
      const std::size_t entries = kSmall.pages_of(static_cast<std::size_t>(lengths[row]));
      for (std::size_t entry = 0; entry < entries; ++entry) {
        const std::int32_t page = placement.table[row * 25 + entry];
        EXPECT_GT(page, 0);
        EXPECT_TRUE(seen.insert(page).second) << "page " << page;
        breaks += entry > 0 && page != placement.table[row * 25 + entry - 1] + 1 ? 1U : 0U;
      }
    }
    EXPECT_LE(breaks, 8U) << "two pages of each row may come later";
    EXPECT_EQ(placement.table[4 * 25], 0);
    EXPECT_EQ(placement.table[5 * 25], 0) << "rows of padding";
    EXPECT_TRUE(std::is_sorted(placement.pages.begin(), placement.pages.end()));
    EXPECT_EQ(std::set<std::int32_t>(placement.table.begin(), placement.table.end()),
              std::set<std::int32_t>(placement.pages.begin(), placement.pages.end()));
  }
}

TEST(DsaTopkPlacement, WhatLiesBeyondARowsEndIsAValidPageAndMostlyZero) {
  const task::Workload workload = make_workload(kSmall, {20, 40, 30, 60}, "tails", 60);
  const Placement placement = place_rows(kSmall, workload, row_lengths(kSmall, workload), 1, 0);
  std::size_t zeros = 0;
  std::size_t tails = 0;
  for (std::size_t at = 0; at < placement.table.size(); ++at) {
    ASSERT_GE(placement.table[at], 0);
    ASSERT_LT(placement.table[at], *task::find(workload.axes, "num_pages"));
    if (at % 60 >= 4) {
      ++tails;
      zeros += placement.table[at] == 0 ? 1U : 0U;
    }
  }
  EXPECT_GT(zeros, tails / 2);
  EXPECT_LT(zeros, tails);
}

TEST(DsaTopkPlacement, ACacheThatIsTooSmallIsShared) {
  const task::Workload workload = without_lengths(3, 6, 4, "tight");
  const std::vector<std::int32_t> lengths = {90, 33, 64};
  const Placement placement = place_rows(kSmall, workload, lengths, 1, 0);
  for (const std::int32_t page : placement.table) {
    EXPECT_GE(page, 0);
    EXPECT_LT(page, 4);
  }
  const task::Workload single = without_lengths(2, 2, 1, "single");
  EXPECT_THAT(place_rows(kSmall, single, row_lengths(kSmall, single), 1, 0).pages, testing::ElementsAre(0));
}

/// Whether an element of an argument lies in a page that no row named: what lies there is no call's.
bool is_nobodys(const Dimensions& dimensions, const Bytes& arguments, std::size_t input, std::size_t at) {
  if (input != kCache) {
    return false;
  }
  const std::size_t pages = arguments[kCache].size() / dimensions.page_bytes();
  std::vector<bool> named(pages);
  for (std::size_t entry = 0; entry < arguments[kBlockTable].size() / sizeof(std::int32_t); ++entry) {
    const auto page = load<std::int32_t>(arguments[kBlockTable], entry);
    if (page >= 0) {
      named[static_cast<std::size_t>(page)] = true;
    }
  }
  return !named[at / dimensions.page_bytes()];
}

/// What `perturb` must do, for contents with long rows and without.
void expect_perturbations_show(const Operator& op, const Dimensions& dimensions, const task::Workload& workload,
                               std::uint64_t count) {
  const auto generator = op.make_generator(7);
  OperatorTrial trial(op, workload);
  std::set<std::size_t> changed_inputs;
  for (std::uint64_t which = 0; which < count; ++which) {
    generator->fill(workload, which, trial.arguments());
    write_expected(trial, trial.reference());
    const Bytes before = bytes_of_inputs(trial);
    generator->perturb(which, which, trial.arguments());
    const Bytes after = bytes_of_inputs(trial);
    const auto expected = trial.reference();
    EXPECT_NE(trial.judge(expected), "") << workload.uuid << " " << which;
    for (std::size_t input = 0; input < kInputCount; ++input) {
      const std::size_t size = input == kQuery || input == kCache ? 1 : 4;
      std::size_t elements = 0;
      for (std::size_t at = 0; at < before[input].size(); at += size) {
        const bool is_same = std::equal(before[input].begin() + static_cast<std::ptrdiff_t>(at),
                                        before[input].begin() + static_cast<std::ptrdiff_t>(at + size),
                                        after[input].begin() + static_cast<std::ptrdiff_t>(at));
        elements += is_same || is_nobodys(dimensions, before, input, at) ? 0U : 1U;
      }
      EXPECT_LE(elements, 1U);
      if (elements > 0) {
        changed_inputs.insert(input);
      }
    }
  }
  EXPECT_EQ(changed_inputs.size(), *std::max_element(workload.lengths.begin(), workload.lengths.end()) > 64 ? 5U : 2U);
}

TEST(DsaTopkGenerator, APerturbedElementMakesTheOldAnswerWrong) {
  expect_perturbations_show(small(), kSmall, make_workload(kSmall, {300, 20, 70}, "perturbed"), 200);
  expect_perturbations_show(small(), kSmall, make_workload(kSmall, {65}, "barely long"), 200);
  expect_perturbations_show(small(), kSmall, make_workload(kSmall, {64, 1, 20, 0}, "short"), 50);
  expect_perturbations_show(small(), kSmall, make_workload(kSmall, {640}, "no page to spare", 1, 0), 50);
  expect_perturbations_show(contest(), kContest, make_workload(kContest, {2161, 19}, "contest"), 5);
}

TEST(DsaTopkGenerator, ShortRowsOfNothingCanStillBePerturbed) {
  const task::Workload workload = make_workload(kSmall, {0}, "nothing");
  OperatorTrial trial = official_trial(small(), workload, 1);
  write_expected(trial, trial.reference());
  small().make_generator(1)->perturb(1, 0, trial.arguments());
  EXPECT_NE(trial.judge(trial.reference()), "");
}

}  // namespace
}  // namespace assay::operators::dsa_topk_indexer
