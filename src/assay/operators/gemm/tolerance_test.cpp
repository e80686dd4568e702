// What the tolerance of GEMM stands on: honest float32 kernels of several styles pass with room, and each planted
// mistake fails within ten stress trials.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <assay/operators/gemm/float32_for_test.hpp>
#include <assay/operators/gemm/layout.hpp>
#include <assay/operators/gemm/operator.hpp>
#include <assay/operators/half_definitions_for_test.hpp>

namespace assay::operators::gemm {
namespace {

constexpr std::uint64_t kSmallTrial = 16000;  // Bytes: about 110 rows.

std::shared_ptr<const Operator> small(tensor::DType dtype) {
  return recognise(operators::for_test::gemm_definition(24, 40, dtype));
}

const std::vector<Style>& honest_styles() {
  static const std::vector<Style> kStyles = {
      {1, false, 0, false},  {1, true, 0, false},  {4, false, 0, false}, {16, true, 0, false}, {64, false, 0, false},
      {1, false, 16, false}, {4, true, 32, false}, {1, false, 0, true},  {16, false, 8, true}, {1, true, 128, true},
  };
  return kStyles;
}

std::string name_of(tensor::DType dtype) { return std::string(tensor::to_string(dtype)); }

/// Fills a trial with stress trial `index` of `seed` and returns what is right.
std::vector<ExpectedValues> fill(InputGenerator& generator, const StressTrial& stress, std::uint64_t call,
                                 OperatorTrial& trial) {
  generator.fill_stress(stress.kind, stress.workload, call, trial.arguments());
  trial.poison();
  return trial.reference();
}

class GemmTolerance : public ::testing::TestWithParam<tensor::DType> {};

TEST_P(GemmTolerance, HonestKernelsPassTwoThousandStressTrials) {
  const auto op = small(GetParam());
  const auto generator = op->make_generator(11);
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const StressTrial stress = op->stress_trial(11, index, kSmallTrial);
    OperatorTrial trial(*op, stress.workload);
    const auto expected = fill(*generator, stress, index, trial);
    const std::size_t style = index % honest_styles().size();
    run_float32(trial, GetParam(), honest_styles()[style]);
    ASSERT_EQ(trial.judge(expected), "") << "trial " << index << " of kind " << op->stress_kinds()[stress.kind].name
                                         << ", style " << style;
  }
}

/// Largest error of the sums before they are rounded, in units of what accumulating may cost.
double share_of_accumulation(const OperatorTrial& trial, const std::vector<ExpectedValues>& expected,
                             const std::vector<float>& sums) {
  const std::size_t n = trial.axis("N");
  const auto depth = static_cast<double>(trial.axis("K"));
  double worst = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double magnitude = expected[kRowNorms][i / n] * expected[kColumnNorms][i % n];
    const double error = std::fabs(static_cast<double>(sums[i]) - expected[kC][i]);
    worst = magnitude > 0 ? std::max(worst, error / (0x1p-24 * (16 + std::sqrt(depth)) * magnitude)) : worst;
  }
  return worst;
}

TEST_P(GemmTolerance, LongSumsLeaveRoom) {
  for (const std::int64_t depth : {2048, 14336}) {
    const auto op = recognise(operators::for_test::gemm_definition(16, depth, GetParam()));
    const auto generator = op->make_generator(3);
    double worst = 0;
    for (std::uint64_t index = 0; index < op->stress_kinds().size(); ++index) {
      StressTrial stress = op->stress_trial(3, index, 0);
      stress.workload.axes = {{"M", 5}};
      OperatorTrial trial(*op, stress.workload);
      const auto expected = fill(*generator, stress, index, trial);
      for (const Style& style : honest_styles()) {
        std::vector<float> sums;
        run_float32(trial, GetParam(), style, Mistake::none, &sums);
        ASSERT_EQ(trial.judge(expected), "") << op->stress_kinds()[stress.kind].name;
        worst = std::max(worst, share_of_accumulation(trial, expected, sums));
      }
    }
    std::printf("%s, K = %lld: accumulating uses %.3f of what it may\n", name_of(GetParam()).c_str(),
                static_cast<long long>(depth), worst);
    // Where sums only grow; there the rounding of the output leaves room as well.
    EXPECT_LT(worst, 0.75);
    EXPECT_GT(worst, 0.05) << "the bound is of another order than what is bounded";
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GemmTolerance, ::testing::Values(tensor::DType::float16, tensor::DType::bfloat16),
                         [](const auto& of) { return name_of(of.param); });

struct NamedMistake {
  const char* name;
  Mistake mistake;
};

class GemmMistake : public ::testing::TestWithParam<NamedMistake> {};

TEST_P(GemmMistake, FailsWithinTenStressTrials) {
  for (const tensor::DType dtype : {tensor::DType::float16, tensor::DType::bfloat16}) {
    if (dtype == tensor::DType::bfloat16 && GetParam().mistake == Mistake::flushed_subnormals) {
      continue;  // A kernel may flush what is subnormal in float32.
    }
    const auto op = small(dtype);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const auto generator = op->make_generator(seed);
      int failed = 0;
      for (std::uint64_t index = 0; index < 10; ++index) {
        const StressTrial stress = op->stress_trial(seed, index, kSmallTrial);
        OperatorTrial trial(*op, stress.workload);
        const auto expected = fill(*generator, stress, index, trial);
        run_float32(trial, dtype, {4, false, 0, false}, GetParam().mistake);
        failed += trial.judge(expected).empty() ? 0 : 1;
      }
      EXPECT_GT(failed, 0) << name_of(dtype) << ", seed " << seed;
      std::printf("%-20s %s, seed %llu: %2d of 10 trials fail\n", GetParam().name, name_of(dtype).c_str(),
                  static_cast<unsigned long long>(seed), failed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GemmMistake,
                         ::testing::Values(NamedMistake{"zeros", Mistake::zeros},
                                           NamedMistake{"copied_input", Mistake::copied_input},
                                           NamedMistake{"last_term_dropped", Mistake::last_term_dropped},
                                           NamedMistake{"tail_dropped", Mistake::tail_dropped},
                                           NamedMistake{"last_row_missing", Mistake::last_row_missing},
                                           NamedMistake{"last_column_missing", Mistake::last_column_missing},
                                           NamedMistake{"row_of_rest_wrong", Mistake::row_of_rest_wrong},
                                           NamedMistake{"not_transposed", Mistake::not_transposed},
                                           NamedMistake{"first_row_for_all", Mistake::first_row_for_all},
                                           NamedMistake{"half_accumulator", Mistake::half_accumulator},
                                           NamedMistake{"half_partial_sums", Mistake::half_partial_sums},
                                           NamedMistake{"rounded_inputs", Mistake::rounded_inputs},
                                           NamedMistake{"truncated_output", Mistake::truncated_output},
                                           NamedMistake{"rounded_twice", Mistake::rounded_twice},
                                           NamedMistake{"flushed_subnormals", Mistake::flushed_subnormals},
                                           NamedMistake{"absolute_values", Mistake::absolute_values},
                                           NamedMistake{"saturated_terms", Mistake::saturated_terms}),
                         [](const auto& of) { return of.param.name; });

TEST(GemmStale, TheOutputOfTheCallBeforeFails) {
  const auto op = small(tensor::DType::float16);
  const auto generator = op->make_generator(5);
  const StressTrial stress = op->stress_trial(5, 0, kSmallTrial);
  OperatorTrial trial(*op, stress.workload);
  generator->fill(stress.workload, 0, trial.arguments());
  run_float32(trial, tensor::DType::float16, {});
  ASSERT_EQ(trial.judge(trial.reference()), "");
  generator->fill(stress.workload, 1, trial.arguments());
  EXPECT_THAT(trial.judge(trial.reference()), ::testing::StartsWith("C["));
}

TEST(GemmOfficial, TheirRuleCannotTellHalfPartialSumsFromHonestOnes) {
  const auto op = small(tensor::DType::float16);
  const auto generator = op->make_generator(5);
  task::Workload workload;
  workload.uuid = "official";
  workload.axes = {{"M", 64}};
  OperatorTrial trial(*op, workload);
  generator->fill(workload, 0, trial.arguments());
  const auto expected = trial.reference();
  run_float32(trial, tensor::DType::float16, {1, false, 0, false}, Mistake::half_partial_sums);
  EXPECT_NE(trial.judge(expected), "");
  EXPECT_EQ(trial.judge_officially(expected), "");
  run_float32(trial, tensor::DType::float16, {1, false, 0, false}, Mistake::zeros);
  EXPECT_NE(trial.judge_officially(expected), "");
}

}  // namespace
}  // namespace assay::operators::gemm
