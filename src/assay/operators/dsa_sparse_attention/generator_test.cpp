#include <assay/operators/dsa_sparse_attention/generator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include <assay/operators/dsa_sparse_attention/float32_for_test.hpp>
#include <assay/operators/dsa_sparse_attention/rows.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

using Bytes = std::vector<std::vector<std::byte>>;

Bytes bytes_of(OperatorTrial& trial) {
  Bytes result;
  for (std::size_t i = 0; i < kSmScale; ++i) {
    const auto& bytes = trial.input(i).bytes;
    result.emplace_back(bytes.begin(), bytes.end());
  }
  return result;
}

Bytes generate(std::uint64_t seed, const std::string& uuid, std::uint64_t call) {
  const task::Workload workload = make_workload(kSmall, 3, 40, uuid);
  OperatorTrial trial(small_instance(), workload);
  small_instance().make_generator(seed)->fill(workload, call, trial.arguments());
  return bytes_of(trial);
}

std::vector<std::size_t> counts_of(const CallView& call) {
  std::vector<std::size_t> counts;
  for (std::size_t row = 0; row < call.rows(); ++row) {
    counts.push_back(call.valid_slots(row).size());
  }
  return counts;
}

TEST(DsaSparseAttentionGenerator, TheSameSeedWorkloadAndCallGiveTheSameBytes) {
  EXPECT_EQ(generate(1, "u", 5), generate(1, "u", 5));
}

TEST(DsaSparseAttentionGenerator, AnotherSeedWorkloadOrCallGivesOtherBytesInEveryTensor) {
  const Bytes first = generate(1, "u", 5);
  for (const Bytes& other : {generate(2, "u", 5), generate(1, "w", 5), generate(1, "u", 6)}) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_NE(first[i], other[i]) << i;
    }
  }
}

TEST(DsaSparseAttentionGenerator, WhatARowNamesDoesNotDependOnTheCallsBefore) {
  const task::Workload workload = make_workload(kSmall, 4, 60, "u");
  OperatorTrial after(small_instance(), workload);
  OperatorTrial alone(small_instance(), workload);
  const auto generator = small_instance().make_generator(1);
  for (const std::uint64_t call : {9U, 2U, 5U}) {
    generator->fill(workload, call, after.arguments());
  }
  generator->fill(workload, 5, alone.arguments());
  for (const Input input : {kQNope, kQPe, kSparseIndices}) {
    EXPECT_TRUE(std::ranges::equal(after.input(input).bytes, alone.input(input).bytes)) << input;
  }
  EXPECT_EQ(after.reference(), alone.reference());
}

TEST(DsaSparseAttentionGenerator, OnlyNamedTokensAndTheFirstAndLastAreWritten) {
  const task::Workload workload = make_workload(kSmall, 3, 50, "u");
  OperatorTrial trial(small_instance(), workload);
  for (const Input input : {kQNope, kQPe, kCkvCache, kKpeCache, kSparseIndices}) {
    std::ranges::fill(trial.input(input).bytes, std::byte{0x7b});
  }
  small_instance().make_generator(3)->fill(workload, 0, trial.arguments());
  const CallView call(kSmall, trial.arguments());
  std::set<std::size_t> named = {0, call.tokens() - 1};
  for (std::size_t row = 0; row < call.rows(); ++row) {
    for (const std::size_t slot : call.valid_slots(row)) {
      named.insert(call.token(row, slot));
    }
  }
  const auto untouched = [](const Elements& elements) {
    return std::ranges::count(elements.bytes(), std::byte{0x7b}) ==
           static_cast<std::ptrdiff_t>(elements.bytes().size());
  };
  for (std::size_t token = 0; token < call.tokens(); ++token) {
    EXPECT_EQ(untouched(call.ckv(token)), !named.contains(token)) << token;
    EXPECT_EQ(untouched(call.kpe(token)), !named.contains(token)) << token;
  }
}

TEST(DsaSparseAttentionGenerator, CallsStayWithinTwiceThePagesTheyNeed) {
  // What the contest's caches take, 624 MB, must not become memory call by call.
  const task::Workload workload = make_workload(kSmall, 4, 4096, "u", {64, 5, 17, 33});
  OperatorTrial trial(small_instance(), workload);
  const auto generator = small_instance().make_generator(3);
  std::set<std::size_t> pages;
  for (std::uint64_t number = 0; number < 50; ++number) {
    generator->fill(workload, number, trial.arguments());
    const CallView call(kSmall, trial.arguments());
    for (std::size_t row = 0; row < call.rows(); ++row) {
      for (const std::size_t slot : call.valid_slots(row)) {
        pages.insert(call.token(row, slot) / kSmall.page_size);
      }
    }
  }
  EXPECT_GE(*pages.begin(), 1U) << "page 0 is nobody's";
  EXPECT_LE(*pages.rbegin(), 2U * (6 + 1 + 2 + 3 + 4)) << "the longest sequence has up to 83 tokens, 6 pages";
  EXPECT_GE(pages.size(), 20U) << "where they lie changes from call to call";
}

TEST(DsaSparseAttentionGenerator, RowsHaveTheWorkloadsLengthsInEveryCall) {
  const std::vector<std::int64_t> lengths = {33, 0, 2048, 2047, 1, 2693, 64, 65};
  const task::Workload workload = make_workload(kContest, 8, 200, "u", lengths);
  OperatorTrial trial(contest_instance(), workload);
  const auto generator = contest_instance().make_generator(4);
  for (std::uint64_t number = 0; number < 3; ++number) {
    generator->fill(workload, number, trial.arguments());
    EXPECT_THAT(counts_of({kContest, trial.arguments()}), testing::ElementsAre(33, 0, 2048, 2047, 1, 2048, 64, 65));
  }
}

TEST(DsaSparseAttentionGenerator, ShortRowsAreRunsOfPagesAndLongOnesAShuffledChoice) {
  const task::Workload workload = make_workload(kContest, 3, 200, "u", {700, 2048, 2693});
  OperatorTrial trial(contest_instance(), workload);
  const auto generator = contest_instance().make_generator(5);
  for (std::uint64_t number = 0; number < 4; ++number) {
    generator->fill(workload, number, trial.arguments());
    const CallView call(kContest, trial.arguments());
    EXPECT_EQ(call.token(0, 0) % kContest.page_size, 0U);
    for (std::size_t slot = 0; slot < kContest.topk; ++slot) {
      EXPECT_EQ(call.index(0, slot) == kNoToken, slot >= 700) << slot;
    }
    for (std::size_t slot = 1; slot < 700; ++slot) {
      const std::size_t step = call.token(0, slot) - call.token(0, slot - 1);
      ASSERT_TRUE(step == 1 || (slot / 64 == 10 && step == 65)) << slot;
    }
    for (const std::size_t row : {1U, 2U}) {
      std::vector<std::size_t> tokens;
      for (std::size_t slot = 0; slot < kContest.topk; ++slot) {
        tokens.push_back(call.token(row, slot));
      }
      EXPECT_FALSE(std::is_sorted(tokens.begin(), tokens.end()));
      std::sort(tokens.begin(), tokens.end());
      std::size_t adjacent = 0;
      for (std::size_t i = 1; i < tokens.size(); ++i) {
        const std::size_t gap = tokens[i] - tokens[i - 1];
        adjacent += gap == 1 ? 1 : 0;
        ASSERT_GE(gap, 1U) << "no token twice";
        ASSERT_LE(gap, 6U + 64) << "64 more where the last page lies one further on";
      }
      const double part = static_cast<double>(adjacent) / 2047;
      EXPECT_GT(part, 0.75);
      EXPECT_LT(part, 0.98);
    }
  }
}

TEST(DsaSparseAttentionGenerator, LengthsFollowFromTheUuidAndAreSpreadAsTheContests) {
  std::vector<std::size_t> all;
  for (int i = 0; i < 500; ++i) {
    const task::Workload workload = make_workload(kContest, 8, 8462, "uuid-" + std::to_string(i));
    const auto lengths = sequence_lengths(kContest, workload);
    EXPECT_EQ(lengths, sequence_lengths(kContest, workload));
    all.insert(all.end(), lengths.begin(), lengths.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_GE(all.front(), 1U);
  EXPECT_LE(all.back(), 2662U);
  EXPECT_NEAR(static_cast<double>(all[all.size() / 2]), 51, 8) << "the contest's 120 rows have the median 33";
  double sum = 0;
  for (const std::size_t length : all) {
    sum += static_cast<double>(std::min<std::size_t>(length, 2048));
  }
  EXPECT_NEAR(sum / static_cast<double>(all.size()), 330, 30) << "and the mean 289";
  const auto full = all.end() - std::lower_bound(all.begin(), all.end(), 2048U);
  EXPECT_NEAR(static_cast<double>(full) / static_cast<double>(all.size()), 4.0 / 120, 0.01);
}

TEST(DsaSparseAttentionGenerator, LengthsBeyondTwiceTheSlotsAndTooFewPagesWork) {
  const task::Workload workload = make_workload(kSmall, 3, 2, "u", {1000, 64, 200});
  OperatorTrial trial(small_instance(), workload);
  small_instance().make_generator(6)->fill(workload, 0, trial.arguments());
  EXPECT_THAT(counts_of({kSmall, trial.arguments()}), testing::ElementsAre(64, 64, 64));
  EXPECT_EQ(trial.reference().size(), 2U) << "every index is a token";
}

TEST(DsaSparseAttentionGenerator, ContentsAreNormal) {
  const task::Workload workload = make_workload(kSmall, 8, 200, "u", std::vector<std::int64_t>(8, 64));
  OperatorTrial trial(small_instance(), workload);
  const auto generator = small_instance().make_generator(8);
  std::map<std::size_t, std::vector<double>> sums;
  for (std::uint64_t number = 0; number < 20; ++number) {
    generator->fill(workload, number, trial.arguments());
    const CallView call(kSmall, trial.arguments());
    const auto include = [&](std::size_t input, const Elements& elements) {
      auto& moments = sums.try_emplace(input, std::vector<double>(3, 0.0)).first->second;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto value = static_cast<double>(elements[i]);
        moments[0] += 1;
        moments[1] += value;
        moments[2] += value * value;
      }
    };
    for (std::size_t row = 0; row < call.rows(); ++row) {
      for (std::size_t head = 0; head < kSmall.heads; ++head) {
        include(kQNope, call.q_nope(row, head));
        include(kQPe, call.q_pe(row, head));
      }
      for (const std::size_t slot : call.valid_slots(row)) {
        include(kCkvCache, call.ckv(call.token(row, slot)));
        include(kKpeCache, call.kpe(call.token(row, slot)));
      }
    }
  }
  for (const auto& [input, moments] : sums) {
    EXPECT_NEAR(moments[1] / moments[0], 0, 0.05) << input;
    EXPECT_NEAR(moments[2] / moments[0], 1, 0.05) << input;
  }
}

TEST(DsaSparseAttentionGenerator, TheScaleIsTheWorkloads) {
  task::Workload workload = make_workload(kSmall, 1, 3, "u");
  OperatorTrial trial(small_instance(), workload);
  const auto generator = small_instance().make_generator(1);
  const auto scale_for = [&](std::optional<task::InputSpec> spec) {
    workload.inputs.clear();
    if (spec) {
      workload.inputs.emplace_back("sm_scale", *spec);
    }
    generator->fill(workload, 0, trial.arguments());
    return trial.scalar(kSmScale);
  };
  EXPECT_EQ(scale_for(task::ScalarInput{0.25}), 0.25);
  EXPECT_EQ(scale_for(task::ScalarInput{std::int64_t{2}}), 2);
  EXPECT_EQ(scale_for(task::ScalarInput{0.1}), static_cast<double>(0.1F)) << "as a candidate gets it";
  EXPECT_EQ(scale_for(task::RandomInput{}), 0.5);
  EXPECT_EQ(scale_for(std::nullopt), 0.5);
}

TEST(DsaSparseAttentionGenerator, APerturbationChangesOneElementAndShows) {
  for (const Dimensions& dimensions : {kSmall, kContest}) {
    const Operator& op = operator_of(dimensions);
    const task::Workload workload = make_workload(dimensions, 3, 30, "u", {40, 1, 7});
    OperatorTrial trial(op, workload);
    const auto generator = op.make_generator(5);
    std::set<std::size_t> touched;
    const std::uint64_t calls = dimensions.topk == kSmall.topk ? 300 : 18;
    for (std::uint64_t number = 0; number < calls; ++number) {
      generator->fill(workload, number, trial.arguments());
      run_float32(dimensions, trial, {.name = "eight strands", .block = 0, .strands = 8});
      const Bytes before = bytes_of(trial);
      const double scale = trial.scalar(kSmScale);
      generator->perturb(number, number / kInputCount, trial.arguments());
      const Bytes after = bytes_of(trial);
      std::size_t changed = 0;
      for (std::size_t input = 0; input < kInputCount; ++input) {
        const std::size_t size = input == kSparseIndices ? 4 : 2;
        for (std::size_t at = 0; input < kSmScale && at < before[input].size(); at += size) {
          if (std::memcmp(before[input].data() + at, after[input].data() + at, size) != 0) {
            ++changed;
            touched.insert(input);
          }
        }
      }
      if (trial.scalar(kSmScale) != scale) {
        ++changed;
        touched.insert(kSmScale);
      }
      EXPECT_EQ(changed, 1U) << number;
      // The outputs of the call before are now those of a candidate that did not look.
      EXPECT_NE(trial.judge(trial.reference()), "") << number << " of " << dimensions.definition;
    }
    EXPECT_EQ(touched.size(), std::size_t{kInputCount});
  }
}

TEST(DsaSparseAttentionGenerator, WithNothingNamedThereIsNothingToPerturb) {
  const task::Workload workload = make_workload(kSmall, 2, 3, "u", {0, 0});
  OperatorTrial trial(small_instance(), workload);
  const auto generator = small_instance().make_generator(5);
  generator->fill(workload, 0, trial.arguments());
  const Bytes before = bytes_of(trial);
  for (std::uint64_t which = 0; which < kInputCount; ++which) {
    generator->perturb(which, 0, trial.arguments());
  }
  EXPECT_EQ(bytes_of(trial), before);
}

TEST(DsaSparseAttentionGeneratorDeathTest, LengthsOfAnotherNumberOfRowsAreBugs) {
  EXPECT_DEATH(static_cast<void>(sequence_lengths(kSmall, make_workload(kSmall, 3, 9, "u", {1, 2}))), "lengths");
  EXPECT_DEATH(static_cast<void>(sequence_lengths(kSmall, make_workload(kSmall, 1, 9, "u", {-1}))), "lengths");
}

}  // namespace
}  // namespace assay::operators::dsa_sparse_attention
