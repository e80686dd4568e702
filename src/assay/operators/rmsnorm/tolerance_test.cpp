// What the tolerance of RMSNorm stands on: honest float32 kernels of several styles pass with room, and each planted
// mistake fails within ten stress trials.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <assay/operators/half_definitions_for_test.hpp>
#include <assay/operators/rmsnorm/float32_for_test.hpp>
#include <assay/operators/rmsnorm/operator.hpp>

namespace assay::operators::rmsnorm {
namespace {

constexpr std::uint64_t kSmallTrial = 8000;  // Bytes.
constexpr std::int64_t kWidth = 72;          // No multiple of 16.

struct Family {
  bool adds_residual;
  tensor::DType dtype;
  [[nodiscard]] Variant variant() const { return {adds_residual, 1e-6}; }
  [[nodiscard]] std::shared_ptr<const Operator> op(std::int64_t width = kWidth) const {
    return recognise(operators::for_test::rmsnorm_definition(width, adds_residual, dtype));
  }
  [[nodiscard]] std::string name() const {
    return fmt::format("{}{}", adds_residual ? "fused_add_" : "", tensor::to_string(dtype));
  }
};

constexpr Family kFamilies[] = {{false, tensor::DType::bfloat16},
                                {true, tensor::DType::bfloat16},
                                {false, tensor::DType::float16},
                                {true, tensor::DType::float16}};

const std::vector<Style>& honest_styles() {
  static const std::vector<Style> kStyles = {
      {1, false, false, false}, {1, true, false, false},  {4, false, true, false},  {8, true, true, false},
      {16, false, false, true}, {64, true, false, false}, {32, false, true, false}, {2, false, false, true}};
  return kStyles;
}

/// Largest error beyond the rounding of the output, relative to the output.
double beyond_rounding(OperatorTrial& trial, const std::vector<ExpectedValues>& expected, tensor::DType dtype) {
  const HalfElements output(trial.output(0).bytes, dtype);
  double worst = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double right = expected[0][i];
    const double error = std::fabs(static_cast<double>(output.get(i)) - right) - smallest_half(dtype);
    worst = right == 0 ? worst : std::max(worst, error / std::fabs(right) / half_roundoff(dtype));
  }
  return worst;
}

class RmsNormTolerance : public ::testing::TestWithParam<Family> {};

TEST_P(RmsNormTolerance, HonestKernelsPassTwoThousandStressTrials) {
  const auto op = GetParam().op();
  const auto generator = op->make_generator(11);
  double worst = 0;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const StressTrial stress = op->stress_trial(11, index, kSmallTrial);
    OperatorTrial trial(*op, stress.workload);
    generator->fill_stress(stress.kind, stress.workload, index, trial.arguments());
    const auto expected = trial.reference();
    const std::size_t style = index % honest_styles().size();
    run_float32(trial, GetParam().variant(), GetParam().dtype, honest_styles()[style]);
    ASSERT_EQ(trial.judge(expected), "") << "trial " << index << " of kind " << op->stress_kinds()[stress.kind].name
                                         << ", style " << style;
    worst = std::max(worst, beyond_rounding(trial, expected, GetParam().dtype));
  }
  std::printf("%s: the worst of 2,000 trials errs by %.4f of a rounding (1.25 are allowed)\n",
              GetParam().name().c_str(), worst);
  EXPECT_LT(worst, 1.1);
}

TEST_P(RmsNormTolerance, LongRowsLeaveRoom) {
  const auto op = GetParam().op(7168);
  const auto generator = op->make_generator(3);
  for (std::uint64_t index = 0; index < op->stress_kinds().size(); ++index) {
    StressTrial stress = op->stress_trial(3, index, 0);
    stress.workload.axes = {{"batch_size", 3}};
    OperatorTrial trial(*op, stress.workload);
    generator->fill_stress(stress.kind, stress.workload, index, trial.arguments());
    const auto expected = trial.reference();
    for (const Style& style : honest_styles()) {
      run_float32(trial, GetParam().variant(), GetParam().dtype, style);
      ASSERT_EQ(trial.judge(expected), "") << op->stress_kinds()[stress.kind].name;
      EXPECT_LT(beyond_rounding(trial, expected, GetParam().dtype), 1.1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, RmsNormTolerance, ::testing::ValuesIn(kFamilies),
                         [](const auto& of) { return of.param.name(); });

struct NamedMistake {
  const char* name;
  Mistake mistake;
  bool of_residual = false;
};

class RmsNormMistake : public ::testing::TestWithParam<NamedMistake> {};

TEST_P(RmsNormMistake, FailsWithinTenStressTrials) {
  for (const Family& family : kFamilies) {
    if (GetParam().of_residual && !family.adds_residual) {
      continue;
    }
    const auto op = family.op();
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const auto generator = op->make_generator(seed);
      int failed = 0;
      for (std::uint64_t index = 0; index < 10; ++index) {
        const StressTrial stress = op->stress_trial(seed, index, kSmallTrial);
        OperatorTrial trial(*op, stress.workload);
        generator->fill_stress(stress.kind, stress.workload, index, trial.arguments());
        const auto expected = trial.reference();
        run_float32(trial, family.variant(), family.dtype, {4, false, false, false}, GetParam().mistake);
        failed += trial.judge(expected).empty() ? 0 : 1;
      }
      EXPECT_GT(failed, 0) << family.name() << ", seed " << seed;
      std::printf("%-22s %s, seed %llu: %2d of 10 trials fail\n", GetParam().name, family.name().c_str(),
                  static_cast<unsigned long long>(seed), failed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RmsNormMistake,
    ::testing::Values(
        NamedMistake{"zeros", Mistake::zeros}, NamedMistake{"copied_input", Mistake::copied_input},
        NamedMistake{"no_epsilon", Mistake::no_epsilon}, NamedMistake{"epsilon_outside", Mistake::epsilon_outside},
        NamedMistake{"other_epsilon", Mistake::other_epsilon}, NamedMistake{"epsilon_of_sum", Mistake::epsilon_of_sum},
        NamedMistake{"no_weight", Mistake::no_weight}, NamedMistake{"one_plus_weight", Mistake::one_plus_weight},
        NamedMistake{"subtracts_mean", Mistake::subtracts_mean}, NamedMistake{"no_mean", Mistake::no_mean},
        NamedMistake{"square_in_16_bits", Mistake::square_in_16_bits},
        NamedMistake{"sum_in_16_bits", Mistake::sum_in_16_bits},
        NamedMistake{"rounded_before_weight", Mistake::rounded_before_weight},
        NamedMistake{"truncated_output", Mistake::truncated_output},
        NamedMistake{"last_element_missing", Mistake::last_element_missing},
        NamedMistake{"last_row_missing", Mistake::last_row_missing},
        NamedMistake{"root_of_first_row", Mistake::root_of_first_row}, NamedMistake{"skips_rest", Mistake::skips_rest},
        NamedMistake{"no_residual", Mistake::no_residual, true},
        NamedMistake{"rounded_sum", Mistake::rounded_sum, true}),
    [](const auto& of) { return of.param.name; });

TEST(RmsNormOfficial, TheirRuleCannotTellASecondRounding) {
  const Family family = kFamilies[0];
  const auto op = family.op();
  task::Workload workload;
  workload.uuid = "official";
  workload.axes = {{"batch_size", 4}};
  OperatorTrial trial(*op, workload);
  op->make_generator(5)->fill(workload, 0, trial.arguments());
  const auto expected = trial.reference();
  run_float32(trial, family.variant(), family.dtype, {}, Mistake::rounded_before_weight);
  EXPECT_NE(trial.judge(expected), "");
  EXPECT_EQ(trial.judge_officially(expected), "");
  run_float32(trial, family.variant(), family.dtype, {}, Mistake::one_plus_weight);
  EXPECT_NE(trial.judge_officially(expected), "");
}

}  // namespace
}  // namespace assay::operators::rmsnorm
