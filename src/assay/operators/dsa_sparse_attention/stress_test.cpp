#include <assay/operators/dsa_sparse_attention/stress.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include <assay/operators/dsa_sparse_attention/float32_for_test.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{6} << 20U;

std::uint64_t argument_bytes(const Operator& op, const task::Workload& workload) {
  const OperatorTrial trial(op, workload);
  std::uint64_t bytes = 0;
  for (const ConstArgument& argument : trial.const_arguments()) {
    const auto* view = std::get_if<tensor::ConstView>(&argument);
    bytes += view == nullptr ? 0 : view->bytes.size();
  }
  return bytes;
}

/// Calls `look` with several calls of a kind, on some rows and pages.
void for_calls_of(Kind kind, const std::function<void(const CallView&, OperatorTrial&)>& look, std::int64_t rows = 6,
                  std::int64_t pages = 40) {
  const auto generator = small_instance().make_generator(41);
  const task::Workload workload = make_workload(kSmall, rows, pages, "stress");
  for (std::uint64_t number = 0; number < 10; ++number) {
    OperatorTrial trial(small_instance(), workload);
    generator->fill_stress(kind, workload, number, trial.arguments());
    look({kSmall, trial.arguments()}, trial);
  }
}

double logit(const CallView& call, OperatorTrial& trial, std::size_t row, std::size_t head, std::size_t token) {
  double sum = 0;
  for (std::size_t i = 0; i < kSmall.ckv; ++i) {
    sum += static_cast<double>(call.q_nope(row, head)[i]) * static_cast<double>(call.ckv(token)[i]);
  }
  for (std::size_t i = 0; i < kSmall.kpe; ++i) {
    sum += static_cast<double>(call.q_pe(row, head)[i]) * static_cast<double>(call.kpe(token)[i]);
  }
  return trial.scalar(kSmScale) * sum;
}

std::vector<double> logits(const CallView& call, OperatorTrial& trial, std::size_t row, std::size_t head) {
  std::vector<double> result;
  for (const std::size_t slot : call.valid_slots(row)) {
    result.push_back(logit(call, trial, row, head, call.token(row, slot)));
  }
  return result;
}

TEST(DsaSparseAttentionStress, AnyTenTrialsInARowHaveEveryKindOnce) {
  for (const std::uint64_t first : {0U, 7U, 123U}) {
    std::set<std::size_t> kinds;
    for (std::uint64_t index = first; index < first + kStressKinds.size(); ++index) {
      kinds.insert(small_instance().stress_trial(3, index, kLargest).kind);
    }
    EXPECT_EQ(kinds.size(), kStressKinds.size());
  }
  EXPECT_EQ(small_instance().stress_kinds().size(), kStressKinds.size());
  std::set<std::string_view> names;
  for (const StressKind& kind : kStressKinds) {
    names.insert(kind.name);
  }
  EXPECT_EQ(names.size(), kStressKinds.size());
  EXPECT_EQ(kStressKinds[kMixedBlocks].name, "mixed_blocks") << "the words and numbers never change";
  EXPECT_EQ(kStressKinds[kLargeLogits].name, "large_logits");
}

TEST(DsaSparseAttentionStress, ShapesVaryAndKeepWithinTheBytes) {
  for (const Operator* op : instances()) {
    for (const std::uint64_t largest : {std::uint64_t{1}, std::uint64_t{300000}, kLargest}) {
      std::set<std::int64_t> rows;
      std::set<std::int64_t> pages;
      for (std::uint64_t index = 0; index < 300; ++index) {
        const StressTrial trial = op->stress_trial(5, index, largest);
        rows.insert(*task::find(trial.workload.axes, "num_tokens"));
        pages.insert(*task::find(trial.workload.axes, "num_pages"));
        EXPECT_GT(workload_scalar(trial.workload, "sm_scale", 0), 0);
        if (largest == 300000 && index < 20) {
          EXPECT_LE(argument_bytes(*op, trial.workload), largest);
        }
      }
      if (largest == 1) {
        EXPECT_THAT(rows, testing::ElementsAre(1));
        EXPECT_THAT(pages, testing::ElementsAre(1));
      } else if (largest == kLargest) {
        EXPECT_THAT(rows, testing::ElementsAre(1, 2, 3, 5, 7, 8, 9, 13, 17));
        EXPECT_THAT(pages, testing::IsSupersetOf({1, 2}));
        EXPECT_GE(pages.size(), 8U);
      }
    }
  }
}

TEST(DsaSparseAttentionStress, TrialsAreDeterministic) {
  const auto generator = small_instance().make_generator(1);
  const auto same = small_instance().make_generator(1);
  for (std::uint64_t index = 0; index < 20; ++index) {
    const StressTrial stress = small_instance().stress_trial(6, index, kLargest);
    EXPECT_EQ(stress.workload.uuid, small_instance().stress_trial(6, index, kLargest).workload.uuid);
    OperatorTrial one(small_instance(), stress.workload);
    OperatorTrial two(small_instance(), stress.workload);
    OperatorTrial other(small_instance(), stress.workload);
    generator->fill_stress(stress.kind, stress.workload, 2, one.arguments());
    same->fill_stress(stress.kind, stress.workload, 2, two.arguments());
    generator->fill_stress(stress.kind, stress.workload, 3, other.arguments());
    for (std::size_t input = 0; input < kSmScale; ++input) {
      EXPECT_TRUE(std::ranges::equal(one.input(input).bytes, two.input(input).bytes)) << index << " " << input;
    }
    EXPECT_FALSE(std::ranges::equal(one.input(kQNope).bytes, other.input(kQNope).bytes));
  }
}

TEST(DsaSparseAttentionStress, EveryKindFitsTheSmallestCacheAndEveryNumberOfRows) {
  const auto generator = small_instance().make_generator(42);
  for (std::size_t kind = 0; kind < kStressKinds.size(); ++kind) {
    for (std::int64_t rows = 1; rows <= 20; ++rows) {
      const task::Workload workload = make_workload(kSmall, rows, 1, "smallest");
      OperatorTrial trial(small_instance(), workload);
      generator->fill_stress(kind, workload, 0, trial.arguments());
      const auto outputs = trial.reference();
      for (const double value : outputs[kOutput]) {
        ASSERT_TRUE(std::isfinite(value)) << kStressKinds[kind].name;
      }
    }
  }
}

TEST(DsaSparseAttentionStress, PaddingIsAnywhereAndOneRowIsNothingElse) {
  for_calls_of(kPaddingAnywhere, [](const CallView& call, OperatorTrial& /*trial*/) {
    int empty = 0;
    int first = 0;
    for (std::size_t row = 0; row < call.rows(); ++row) {
      empty += call.valid_slots(row).empty() ? 1 : 0;
      first += !call.valid_slots(row).empty() && call.index(row, 0) == kNoToken ? 1 : 0;
    }
    EXPECT_EQ(empty, 1);
    EXPECT_GE(first, 2) << "rows that begin with -1 and go on";
  });
}

TEST(DsaSparseAttentionStress, LengthsIncludeNoneOneAndAll) {
  std::set<std::size_t> lengths;
  for_calls_of(kRowLengths, [&](const CallView& call, OperatorTrial& /*trial*/) {
    for (std::size_t row = 0; row < call.rows(); ++row) {
      lengths.insert(call.valid_slots(row).size());
    }
  });
  EXPECT_THAT(lengths, testing::IsSupersetOf({0U, 1U, 2U, 15U, 16U, 17U, 63U, 64U}));
}

TEST(DsaSparseAttentionStress, PageEdgesAreNamedUpToTheLastToken) {
  const StressTrial stress = small_instance().stress_trial(6, kPageEdges, kLargest);
  ASSERT_EQ(stress.kind, kPageEdges);
  EXPECT_GT(*task::find(stress.workload.axes, "num_pages") * 16, 32768) << "an index beyond 16 bits";
  for_calls_of(kPageEdges, [](const CallView& call, OperatorTrial& /*trial*/) {
    for (std::size_t row = 0; row < call.rows(); ++row) {
      std::set<std::size_t> tokens;
      for (const std::size_t slot : call.valid_slots(row)) {
        tokens.insert(call.token(row, slot));
        EXPECT_THAT(call.token(row, slot) % 16, testing::AnyOf(0U, 1U, 14U, 15U));
      }
      EXPECT_THAT(tokens, testing::IsSupersetOf({std::size_t{0}, std::size_t{15}, call.tokens() - 1}));
    }
  });
}

TEST(DsaSparseAttentionStress, TokensAreRepeated) {
  for_calls_of(kRepeatedIds, [](const CallView& call, OperatorTrial& /*trial*/) {
    for (std::size_t row = 0; row < call.rows(); ++row) {
      const auto slots = call.valid_slots(row);
      std::set<std::size_t> tokens;
      for (const std::size_t slot : slots) {
        tokens.insert(call.token(row, slot));
      }
      EXPECT_LT(tokens.size(), slots.size());
    }
  });
}

TEST(DsaSparseAttentionStress, PeaksOutweighTheRest) {
  int peaked = 0;
  int last = 0;
  int heads = 0;
  for_calls_of(kPeaked, [&](const CallView& call, OperatorTrial& trial) {
    for (std::size_t row = 0; row < call.rows(); ++row) {
      for (std::size_t head = 0; head < kSmall.heads; ++head) {
        auto values = logits(call, trial, row, head);
        last += std::max_element(values.begin(), values.end()) == values.end() - 1 ? 1 : 0;
        std::sort(values.begin(), values.end());
        peaked += values.size() < 2 || values.back() > values[values.size() - 2] + 5 ? 1 : 0;
        ++heads;
      }
    }
  });
  EXPECT_GT(peaked * 4, heads * 3);
  EXPECT_GT(last * 8, heads);
}

TEST(DsaSparseAttentionStress, NearlyEqualLogitsDifferByLittle) {
  for_calls_of(kNearEqual, [](const CallView& call, OperatorTrial& trial) {
    EXPECT_EQ(call.valid_slots(0).size(), kSmall.topk);
    const auto values = logits(call, trial, 0, 0);
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    EXPECT_LT(*largest - *least, 0.6);
    EXPECT_GT(*largest - *least, 0.01);
  });
}

TEST(DsaSparseAttentionStress, LargeLogitsAreLargeOfEitherSignAndExactInFloat32) {
  double least = 0;
  double largest = 0;
  for_calls_of(kLargeLogits, [&](const CallView& call, OperatorTrial& trial) {
    for (std::size_t row = 0; row < call.rows(); ++row) {
      for (std::size_t head = 0; head < kSmall.heads; ++head) {
        const auto values = logits(call, trial, row, head);
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        EXPECT_GT(std::min(std::fabs(*low), std::fabs(*high)), 80);
        EXPECT_EQ(*low > 0, *high > 0) << "one sign in a row and head";
        EXPECT_LT(*high - *low, 40);
        least = std::min(least, *low);
        largest = std::max(largest, *high);
        // Every partial sum is a multiple of the unit that float32 holds.
        float sum = 0;
        double exact = 0;
        const std::size_t token = call.token(row, call.valid_slots(row).front());
        for (std::size_t i = 0; i < kSmall.kpe; ++i) {
          sum += call.q_pe(row, head)[i] * call.kpe(token)[i];
          exact += static_cast<double>(call.q_pe(row, head)[i]) * static_cast<double>(call.kpe(token)[i]);
          ASSERT_EQ(static_cast<double>(sum), exact);
        }
        for (std::size_t i = 0; i < kSmall.ckv; ++i) {
          sum += call.q_nope(row, head)[i] * call.ckv(token)[i];
          exact += static_cast<double>(call.q_nope(row, head)[i]) * static_cast<double>(call.ckv(token)[i]);
          ASSERT_EQ(static_cast<double>(sum), exact);
        }
      }
    }
  });
  EXPECT_LT(least, -5000);
  EXPECT_GT(largest, 5000);
}

TEST(DsaSparseAttentionStress, RowsOfWideRangeHaveUsualLogits) {
  double least = 1e300;
  double largest = 0;
  for_calls_of(
      kWideRange,
      [&](const CallView& call, OperatorTrial& trial) {
        for (std::size_t row = 0; row < call.rows(); ++row) {
          for (const double value : logits(call, trial, row, 0)) {
            EXPECT_LT(std::fabs(value), 40);
          }
        }
        const auto outputs = trial.reference();
        for (const double value : outputs[kOutput]) {
          least = std::min(least, std::fabs(value));
          largest = std::max(largest, std::fabs(value));
        }
      },
      7);
  EXPECT_LT(least, 0x1p-80);
  EXPECT_GT(largest, 0x1p75);
  EXPECT_LT(largest, 0x1p83);
}

TEST(DsaSparseAttentionStress, ZeroQueriesWeighAllAlike) {
  for_calls_of(kZerosAndDenormals, [](const CallView& call, OperatorTrial& trial) {
    const auto expected = trial.reference();
    int denormals = 0;
    for (std::size_t row = 0; row < call.rows(); ++row) {
      const auto count = static_cast<double>(call.valid_slots(row).size());
      int alike = 0;
      for (std::size_t head = 0; head < kSmall.heads; ++head) {
        alike += std::fabs(expected[kLse][row * kSmall.heads + head] - std::log2(count)) < 1e-12 ? 1 : 0;
        for (std::size_t i = 0; i < kSmall.ckv; ++i) {
          denormals += std::fpclassify(call.q_nope(row, head)[i]) == FP_SUBNORMAL ? 1 : 0;
        }
      }
      EXPECT_EQ(alike, 1);
    }
    EXPECT_GT(denormals, 10);
  });
}

TEST(DsaSparseAttentionStress, MixedBlocksHaveEmptyOnesAndRisingMaxima) {
  int begins_empty = 0;
  for_calls_of(kMixedBlocks, [&](const CallView& call, OperatorTrial& trial) {
    for (std::size_t row = 0; row < call.rows(); ++row) {
      const auto slots = call.valid_slots(row);
      ASSERT_FALSE(slots.empty());
      begins_empty += slots.front() >= 4 ? 1 : 0;
      EXPECT_EQ(slots.back(), kSmall.topk - 1);
      double largest = 0;
      for (std::size_t head = 0; head < kSmall.heads; ++head) {
        const auto values = logits(call, trial, row, head);
        largest = std::max(largest, *std::max_element(values.begin(), values.end()));
      }
      EXPECT_GT(largest, 10);
    }
  });
  EXPECT_GE(begins_empty, 20);
}

TEST(DsaSparseAttentionStressDeathTest, AKindThatThereIsNotIsABug) {
  const task::Workload workload = make_workload(kSmall, 1, 1, "none");
  OperatorTrial trial(small_instance(), workload);
  const auto generator = small_instance().make_generator(1);
  EXPECT_DEATH(generator->fill_stress(kStressKinds.size(), workload, 0, trial.arguments()), "kStressKinds");
}

}  // namespace
}  // namespace assay::operators::dsa_sparse_attention
