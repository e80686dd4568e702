// The GPU's scores against the CPU's, and the GPU's check against compare_sets. Scores: the same sums in the same order,
// so that a millionth of a slack is far above what a compiler's fused operations may change. The check: "surely right"
// only where compare_sets finds nothing, and always where the reference's own choice is given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>

#include <assay/operators/arguments.hpp>
#include <assay/operators/cuda/device_call_for_test.hpp>
#include <assay/operators/cuda/dsa_topk_check.hpp>
#include <assay/operators/cuda/dsa_topk_layout.hpp>
#include <assay/operators/dsa_topk_indexer/placement.hpp>
#include <assay/operators/dsa_topk_indexer/scores.hpp>
#include <assay/operators/dsa_topk_indexer/stress.hpp>
#include <assay/operators/dsa_topk_indexer/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

constexpr double kScoreBound = 0x1p-20;  // Of the slack.
constexpr double kSlackBound = 1e-12;    // Of itself.

TEST(DsaTopkDeviceLayout, DimensionsAreThoseOfTheDefinition) {
  const auto contest_dimensions = cuda::topk_dimensions(contest().definition_name());
  ASSERT_TRUE(contest_dimensions.has_value());
  EXPECT_EQ(contest_dimensions->heads, kContest.heads);
  EXPECT_EQ(contest_dimensions->head_size, kContest.head_size);
  EXPECT_EQ(contest_dimensions->topk, kContest.topk);
  EXPECT_EQ(contest_dimensions->page_size, kContest.page_size);
  EXPECT_FALSE(cuda::topk_dimensions("gdn_decode_qk4_v8_d128_k_last").has_value());
}

TEST(DsaTopkDeviceLayout, SizesAgreeWithTheCpusLayout) {
  const auto sizes = cuda::topk_sizes(kSmall, {{"batch_size", 3}, {"max_num_pages", 5}, {"num_pages", 40}});
  ASSERT_TRUE(sizes) << sizes.error().text();
  EXPECT_EQ(sizes->capacity(), 80U);
  EXPECT_EQ(sizes->page_bytes(), kSmall.page_bytes());
  for (const task::AxisValues& axes : {task::AxisValues{{"batch_size", 0}, {"max_num_pages", 5}, {"num_pages", 40}},
                                       task::AxisValues{{"batch_size", 70000}, {"max_num_pages", 5}, {"num_pages", 4}},
                                       task::AxisValues{{"batch_size", 1}, {"max_num_pages", 5}}}) {
    const auto refused = cuda::topk_sizes(kSmall, axes);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().owner, base::Owner::internal);
  }
}

TEST(DsaTopkDeviceLayout, ArgumentsThatDoNotFitAreInternalErrors) {
  using enum tensor::DType;
  const task::AxisValues axes = {{"batch_size", 2}, {"max_num_pages", 3}, {"num_pages", 9}};
  const auto page = static_cast<std::int64_t>(kSmall.page_bytes());
  std::vector<cuda::DeviceArgument> inputs = {
      cuda::DeviceTensor{256, float8_e4m3fn, {2, 8, 32}}, cuda::DeviceTensor{512, int8, {9, page}},
      cuda::DeviceTensor{1024, float32, {2, 8}}, cuda::DeviceTensor{2048, int32, {2}},
      cuda::DeviceTensor{4096, int32, {2, 3}}};
  const auto call = cuda::topk_call(kSmall, axes, inputs);
  ASSERT_TRUE(call) << call.error().text();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(call->table), 4096U);
  inputs[kCache] = cuda::DeviceTensor{512, int8, {8, page}};
  EXPECT_FALSE(cuda::topk_call(kSmall, axes, inputs));
}

TEST(DsaTopkDeviceCheck, IsOfThisOperatorAlone) {
  const auto other = cuda::make_topk_check("gdn_decode_qk4_v8_d128_k_last");
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, nullptr);
}

class GpuDsaTopk : public cuda::DeviceCallTest {
 protected:
  void SetUp() override {
    DeviceCallTest::SetUp();
    if (!IsSkipped()) {
      for (const Operator* op : instances()) {
        parts_[op] = parts_of(*op);
      }
    }
  }

  cuda::DeviceCall upload(const Operator& op, OperatorTrial& trial) {
    return {*context_, *stream_, trial, *parts_[&op].reference, *parts_[&op].check};
  }

  /// Scores and slacks of all long rows, as the CPU's reference has them; NaN and infinity elsewhere.
  static void expect_scores(const cuda::DeviceCall& on_device, const Call& call,
                            const std::vector<ExpectedValues>& expected, const std::string& what) {
    const std::vector<double> scores = on_device.expected(kScores);
    const std::vector<double> slacks = on_device.expected(kSlacks);
    const std::size_t capacity = call.table_width * call.dimensions.page_size;
    ASSERT_EQ(scores.size(), call.rows * capacity);
    std::size_t at = 0;
    for (std::size_t row = 0; row < call.rows; ++row) {
      const std::size_t scored = call.is_long(row) ? call.length(row) : 0;
      for (std::size_t position = 0; position < capacity; ++position) {
        const double score = scores[row * capacity + position];
        const double slack = slacks[row * capacity + position];
        if (position >= scored) {
          ASSERT_TRUE(std::isnan(score) && std::isinf(slack)) << what << " " << row << ", " << position;
          continue;
        }
        const double right = expected[kScores][at];
        const double right_slack = expected[kSlacks][at++];
        if (std::isinf(right_slack)) {
          ASSERT_TRUE(std::isinf(slack)) << what << " " << row << ", " << position;
          continue;
        }
        ASSERT_NEAR(score, right, kScoreBound * right_slack) << what << " " << row << ", " << position;
        ASSERT_NEAR(slack, right_slack, kSlackBound * right_slack) << what << " " << row << ", " << position;
      }
    }
  }

  /// Writes the reference's choice in another order.
  static void write_right(OperatorTrial& trial, const Call& call, const std::vector<ExpectedValues>& expected,
                          base::Philox& random) {
    write_expected(trial, expected);
    for (std::size_t row = 0; row < call.rows; ++row) {
      shuffle<std::int32_t>(row_of(trial, call, row), random);
    }
  }
  static std::span<std::int32_t> row_of(OperatorTrial& trial, const Call& call, std::size_t row) {
    return trial.out<std::int32_t>(0).subspan(row * call.dimensions.topk, call.dimensions.topk);
  }

  std::map<const Operator*, Parts> parts_;
};

/// Spoils one row of a right answer; false if this kind of fault has no place in it.
bool spoil(std::size_t kind, const Call& call, std::size_t row, std::span<std::int32_t> ids,
           const std::vector<ExpectedValues>& expected, base::Philox& random) {
  const auto chosen = [&](std::int32_t id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
  const std::size_t slot = random.next_below(ids.size());
  switch (kind) {
    case 0: {  // A token that was left out, for one that was chosen; any two.
      if (!call.is_long(row)) {
        return false;
      }
      const auto other = static_cast<std::int32_t>(call.token(row, random.next_below(call.length(row))));
      ids[slot] = chosen(other) ? ids[slot] : other;
      return true;
    }
    case 1:  // One twice.
      ids[slot] = ids[(slot + 1) % ids.size()];
      return true;
    case 2: {  // Out of range.
      const auto tokens = static_cast<std::int32_t>(call.pages * call.dimensions.page_size);
      ids[slot] = std::array<std::int32_t, 4>{tokens, -2, std::numeric_limits<std::int32_t>::max(),
                                              std::numeric_limits<std::int32_t>::min()}[random.next_below(4)];
      return true;
    }
    case 3:  // One too few.
      ids[slot] = -1;
      return true;
    case 4:  // Any token of the cache.
      ids[slot] = static_cast<std::int32_t>(random.next_below(call.pages * call.dimensions.page_size));
      return true;
    case 5: {  // Beyond the row's end, on its last page.
      const std::size_t length = call.length(row);
      if (length == 0 || length % call.dimensions.page_size == 0) {
        return false;
      }
      ids[slot] = static_cast<std::int32_t>(call.token(row, length - 1)) + 1;
      return true;
    }
    default: {  // The worst that was chosen makes room for one of the best left out, which may be right.
      if (!call.is_long(row)) {
        return false;
      }
      std::size_t at = 0;
      for (std::size_t earlier = 0; earlier < row; ++earlier) {
        at += call.is_long(earlier) ? call.length(earlier) : 0;
      }
      const auto wanted = std::span(expected[kIndices]).subspan(row * ids.size(), ids.size());
      const auto worst = static_cast<std::int32_t>(wanted[ids.size() - 1 - random.next_below(3)]);
      double best = -std::numeric_limits<double>::infinity();
      std::int32_t best_id = -1;
      for (std::size_t position = 0; position < call.length(row); ++position) {
        const auto id = static_cast<std::int32_t>(call.token(row, position));
        if (!chosen(id) && expected[kScores][at + position] > best) {
          best = expected[kScores][at + position];
          best_id = id;
        }
      }
      if (best_id < 0 || !chosen(worst)) {
        return false;
      }
      *std::find(ids.begin(), ids.end(), worst) = best_id;
      return true;
    }
  }
}
constexpr std::size_t kFaults = 7;

TEST_F(GpuDsaTopk, ScoresAndChecksAgreeOnEveryKindOfStress) {
  const auto generator = small().make_generator(7);
  std::array<std::size_t, kFaults> wrong{};
  std::size_t sure_of_right = 0;
  std::size_t right = 0;
  for (std::uint64_t index = 0; index < 150; ++index) {
    OperatorTrial trial = stressed_trial(small(), *generator, 7, index);
    const std::string what = std::to_string(index);
    const auto expected = trial.reference();
    const Call call = call_of(trial, kSmall);
    const cuda::DeviceCall on_device = upload(small(), trial);
    expect_scores(on_device, call, expected, what);
    base::Philox random(8, index);
    write_right(trial, call, expected, random);
    ASSERT_EQ(trial.judge(expected), "") << what;
    EXPECT_TRUE(on_device.judge(*kernels_).surely_right) << what << ": " << on_device.judge(*kernels_).doubt;
    for (std::size_t kind = 0; kind < kFaults; ++kind) {
      write_right(trial, call, expected, random);
      const std::size_t row = random.next_below(call.rows);
      if (!spoil(kind, call, row, row_of(trial, call, row), expected, random)) {
        continue;
      }
      const bool is_right = trial.judge(expected).empty();
      const cuda::DeviceVerdict verdict = on_device.judge(*kernels_);
      ASSERT_TRUE(is_right || !verdict.surely_right) << what << ", fault " << kind << ", row " << row;
      EXPECT_EQ(verdict.doubt.empty(), verdict.surely_right);
      wrong[kind] += is_right ? 0U : 1U;
      right += is_right ? 1U : 0U;
      sure_of_right += verdict.surely_right ? 1U : 0U;
    }
  }
  for (std::size_t kind = 0; kind < kFaults; ++kind) {
    EXPECT_GT(wrong[kind], 10U) << "fault " << kind << " is hardly ever one";
  }
  EXPECT_GT(right, 30U);
  EXPECT_EQ(sure_of_right, right) << "what is right is in doubt within a millionth of a slack only";
}

TEST_F(GpuDsaTopk, AgreesAtTheContestsSizes) {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {2049}, {1, 5800, 2048, 0, 3333}, {64, 2112, 4096, 2050, 7, 5824, 1}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const task::Workload workload = make_workload(kContest, shapes[i], "contest" + std::to_string(i), 91, 200);
    OperatorTrial trial = official_trial(contest(), workload, 9, i);
    const auto expected = trial.reference();
    const Call call = call_of(trial, kContest);
    const cuda::DeviceCall on_device = upload(contest(), trial);
    expect_scores(on_device, call, expected, workload.uuid);
    base::Philox random(10, i);
    write_right(trial, call, expected, random);
    EXPECT_TRUE(on_device.judge(*kernels_).surely_right) << on_device.judge(*kernels_).doubt;
    for (std::size_t kind = 0; kind < kFaults; ++kind) {
      for (std::size_t row = 0; row < call.rows; ++row) {
        write_right(trial, call, expected, random);
        if (spoil(kind, call, row, row_of(trial, call, row), expected, random)) {
          const bool is_right = trial.judge(expected).empty();
          EXPECT_EQ(on_device.judge(*kernels_).surely_right, is_right) << kind << " in row " << row;
        }
      }
    }
  }
}

TEST_F(GpuDsaTopk, StressAtTheContestsSizesAgreesToo) {
  const auto generator = contest().make_generator(11);
  for (std::uint64_t index = 0; index < kStressKinds.size(); ++index) {
    OperatorTrial trial = stressed_trial(contest(), *generator, 11, index, std::uint64_t{8} << 20U);
    const auto expected = trial.reference();
    const Call call = call_of(trial, kContest);
    const cuda::DeviceCall on_device = upload(contest(), trial);
    expect_scores(on_device, call, expected, std::string(kStressKinds[index].name));
    base::Philox random(12, index);
    write_right(trial, call, expected, random);
    EXPECT_TRUE(on_device.judge(*kernels_).surely_right) << kStressKinds[index].name;
  }
}

TEST_F(GpuDsaTopk, NamesWhatIsInDoubt) {
  const task::Workload workload = make_workload(kSmall, {100, 20, 0}, "doubt", 10);
  OperatorTrial trial = official_trial(small(), workload, 13);
  const auto expected = trial.reference();
  const Call call = call_of(trial, kSmall);
  const cuda::DeviceCall on_device = upload(small(), trial);
  const auto doubt_of = [&](std::size_t row, std::size_t slot, std::int32_t id) {
    write_expected(trial, expected);
    row_of(trial, call, row)[slot] = id;
    return on_device.judge(*kernels_).doubt;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(doubt_of(0, 3, -2), HasSubstr("1 rows, the first of them row 0: ids that a row does not reach"));
  EXPECT_THAT(doubt_of(1, 19, -1), HasSubstr("the first of them row 1: too few tokens"));
  EXPECT_THAT(doubt_of(2, 0, 0), HasSubstr("row 2: ids that a row does not reach"));
  EXPECT_THAT(doubt_of(1, 5, static_cast<std::int32_t>(call.token(1, 6))), HasSubstr("tokens chosen twice"));
  EXPECT_EQ(doubt_of(2, 63, -1), "");
}

TEST_F(GpuDsaTopk, InputsThatAreOutOfRangeAreInDoubtAndReadNothingElse) {
  const task::Workload workload = make_workload(kSmall, {100, 20}, "range", 10);
  for (const std::int32_t bad : {-1, 1 << 30}) {
    for (const bool length : {true, false}) {
      OperatorTrial trial = official_trial(small(), workload, 14);
      write_expected(trial, trial.reference());
      trial.in<std::int32_t>(length ? kSeqLens : kBlockTable)[0] = bad;
      const cuda::DeviceCall on_device = upload(small(), trial);
      EXPECT_THAT(on_device.judge(*kernels_).doubt, ::testing::HasSubstr("lengths or pages out of range"));
    }
  }
}

TEST_F(GpuDsaTopk, NumbersThatAreNoneExcuseOnlyThemselves) {
  const task::Workload workload = make_workload(kSmall, {100}, "nan", 10);
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    OperatorTrial trial = official_trial(small(), workload, 15);
    const Call before = call_of(trial, kSmall);
    store(trial.input(kCache).bytes.subspan(kSmall.scale_at(before.token(0, 40))), 0, special);
    const auto expected = trial.reference();
    const Call call = call_of(trial, kSmall);
    const cuda::DeviceCall on_device = upload(small(), trial);
    expect_scores(on_device, call, expected, "special");
    write_expected(trial, expected);
    EXPECT_TRUE(on_device.judge(*kernels_).surely_right);
    base::Philox random(16, 0);
    for (int i = 0; i < 40; ++i) {
      write_expected(trial, expected);
      spoil(0, call, 0, row_of(trial, call, 0), expected, random);
      EXPECT_EQ(on_device.judge(*kernels_).surely_right, trial.judge(expected).empty());
    }
  }
}

}  // namespace
}  // namespace assay::operators::dsa_topk_indexer
