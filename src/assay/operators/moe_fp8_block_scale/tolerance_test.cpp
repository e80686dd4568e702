// Measures what honest kernels that accumulate in float32 differ from the reference by, and holds the operator's
// tolerances between that and every mistake that must not pass. `--gtest_filter='MoeTolerance.*:*MoeMistake*'` prints
// the numbers that docs/operators/moe_fp8_block_scale.md quotes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

#include <assay/operators/moe_fp8_block_scale/float32_for_test.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/routing_draw.hpp>
#include <assay/operators/moe_fp8_block_scale/trial_for_test.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

/// How far an output is from the reference, by the worst token.
struct Error {
  double norm = 0;     ///< ||error|| / ||expected||.
  double element = 0;  ///< |error| / (what the element rule allows).

  void include(const Error& other) {
    norm = std::max(norm, other.norm);
    element = std::max(element, other.element);
  }
};

/// Tokens whose selection is ambiguous are left out: which of the legal rows is meant is `compare`'s business.
Error error_of(const Dimensions& d, OperatorTrial& trial, const std::vector<ExpectedValues>& expected) {
  const tensor::ComparisonRule rule = small().rule(0);
  std::vector<bool> skipped(trial.axis("seq_len"));
  for (const AmbiguousToken& token : route(d, trial.const_arguments()).ambiguous) {
    skipped[token.token] = true;
  }
  Error error;
  for (std::size_t t = 0; t < skipped.size(); ++t) {
    double error_square = 0;
    double square = 0;
    for (std::size_t i = t * d.hidden; i < (t + 1) * d.hidden; ++i) {
      square += expected[0][i] * expected[0][i];
    }
    // In parts of what is allowed beside the definition's C, whichever it is held to.
    const double absolute = rule.absolute_of_rms * std::sqrt(square / static_cast<double>(d.hidden));
    for (std::size_t i = t * d.hidden; i < (t + 1) * d.hidden && !skipped[t]; ++i) {
      const double difference =
          std::fabs(static_cast<double>(tensor::from_bfloat16(trial.out<std::uint16_t>(0)[i])) - expected[0][i]);
      error_square += difference * difference;
      const double allowed = absolute + rule.relative * std::fabs(expected[0][i]);
      error.element = std::max(error.element, difference == 0 ? 0 : difference / allowed);
    }
    const double norm = error_square == 0 ? 0 : std::sqrt(error_square / square);
    error.norm = std::isnan(norm) ? std::numeric_limits<double>::infinity() : std::max(error.norm, norm);
  }
  return error;
}

/// What a kernel that stores C in fp8 is held to.
std::vector<ExpectedValues> requantised(const Dimensions& d, OperatorTrial& trial) {
  std::vector<ExpectedValues> outputs;
  const auto done = compute_reference(d, trial.axes(), trial.const_arguments(), outputs, Intermediate::requantised);
  EXPECT_TRUE(done.has_value());
  return outputs;
}

void print(std::string_view name, const Error& error) {
  std::printf("  %-34s norm %.2e, worst element at %.3f of what is allowed\n", std::string(name).c_str(), error.norm,
              error.element);
}

TEST(MoeTolerance, HonestKernelsPassTwoThousandStressTrials) {
  const auto generator = small().make_generator(42);
  std::map<std::string_view, Error> errors;
  std::map<std::string_view, Error> errors_of_kind;
  std::set<std::pair<std::string_view, std::size_t>> met;
  Error worst;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const StressTrial stress = small().stress_trial(42, index, kSmallTrialBytes / 4);
    OperatorTrial trial(small(), stress.workload);
    generator->fill_stress(stress.kind, stress.workload, 0, trial.arguments());
    const auto expected = trial.reference();
    // Each kind comes once in twelve trials; by the quotient, styles shift from one time to the next by 13.
    const NamedStyle& style = honest_styles()[(index + index / kStressKinds.size()) % honest_styles().size()];
    met.emplace(style.name, stress.kind);
    run_float32(kSmall, trial, style.style);
    ASSERT_EQ(trial.judge(expected), "") << style.name << " " << kStressKinds[stress.kind].name << " trial " << index;
    const Error error =
        error_of(kSmall, trial, style.style.float8_intermediate ? requantised(kSmall, trial) : expected);
    errors[style.name].include(error);
    // Of these the errors are beside a C that is re-quantised too, where the rule leaves more.
    if (!style.style.float8_intermediate) {
      errors_of_kind[kStressKinds[stress.kind].name].include(error);
      worst.include(error);
    }
  }
  EXPECT_EQ(met.size(), honest_styles().size() * kStressKinds.size()) << "each style meets each kind";
  std::printf("honest kernels, 2000 stress trials:\n");
  for (const auto& [name, error] : errors) {
    print(name, error);
  }
  for (const auto& [name, error] : errors_of_kind) {
    print(name, error);
  }
  EXPECT_LE(worst.norm * 1.9, small().rule(0).norm) << "room for kernels that round elsewhere";
  EXPECT_LE(worst.element, 0.75);
}

struct NamedMistake {
  const char* name;
  Mistake mistake;
};

class MoeMistake : public testing::TestWithParam<NamedMistake> {};

TEST_P(MoeMistake, IsCaughtWithinTenStressTrials) {
  constexpr std::uint64_t kSeed = 1;
  static const auto generator = small().make_generator(kSeed);
  double largest = 0;
  int caught = 0;
  int first = -1;
  int official = 0;
  for (std::uint64_t index = 0; index < 10; ++index) {
    const StressTrial stress = small().stress_trial(kSeed, index, kSmallTrialBytes / 4);
    OperatorTrial trial(small(), stress.workload);
    generator->fill_stress(stress.kind, stress.workload, 0, trial.arguments());
    const auto expected = trial.reference();
    run_float32(kSmall, trial, {}, GetParam().mistake);
    if (!trial.judge(expected).empty()) {
      first = first < 0 ? static_cast<int>(index) : first;
      ++caught;
    }
    official += trial.judge_officially(expected).empty() ? 0 : 1;
    largest = std::max(largest, error_of(kSmall, trial, expected).norm);
  }
  EXPECT_GT(caught, 0);
  std::printf("%-36s caught in %d of 10 trials, first in trial %d; norm up to %.2g; official rule %d\n",
              GetParam().name, caught, first, largest, official);
}

const NamedMistake kMistakes[] = {
    {"zeros", Mistake::zeros},
    {"gate_is_first_half", Mistake::gate_is_first_half},
    {"silu_without_x", Mistake::silu_without_x},
    {"relu_for_silu", Mistake::relu_for_silu},
    {"biased_weights", Mistake::biased_weights},
    {"local_normalisation", Mistake::local_normalisation},
    {"no_factor", Mistake::no_factor},
    {"no_bias", Mistake::no_bias},
    {"group_by_largest", Mistake::group_by_largest},
    {"masked_with_zero", Mistake::masked_with_zero},
    {"no_groups", Mistake::no_groups},
    {"one_expert_fewer", Mistake::one_expert_fewer},
    {"offset_ignored", Mistake::offset_ignored},
    {"threshold_selection", Mistake::threshold_selection},
    {"transposed_hidden_scale", Mistake::transposed_hidden_scale},
    {"next_scale_block", Mistake::next_scale_block},
    {"transposed_weight_scale", Mistake::transposed_weight_scale},
    {"gemm2_row_scale", Mistake::gemm2_row_scale},
    {"no_hidden_scale", Mistake::no_hidden_scale},
    {"last_block_dropped", Mistake::last_block_dropped},
    {"last_block_of_gemm2_dropped", Mistake::last_block_of_gemm2_dropped},
    {"first_element_dropped_of_each_block", Mistake::first_element_dropped_of_each_block},
    {"bfloat16_accumulation", Mistake::bfloat16_accumulation},
    {"bfloat16_accumulation_of_gemm2", Mistake::bfloat16_accumulation_of_gemm2},
    {"float8_two_bits", Mistake::float8_two_bits},
    {"float8_twice", Mistake::float8_twice},
    {"float8_output", Mistake::float8_output},
    {"last_expert_skipped", Mistake::last_expert_skipped},
    {"contribution_twice", Mistake::contribution_twice},
    {"stale_zero_rows", Mistake::stale_zero_rows},
    {"tenth_token_dropped", Mistake::tenth_token_dropped},
    {"last_token_dropped", Mistake::last_token_dropped},
    {"next_token_weights", Mistake::next_token_weights},
    {"unweighted", Mistake::unweighted},
};

INSTANTIATE_TEST_SUITE_P(All, MoeMistake, testing::ValuesIn(kMistakes),
                         [](const auto& instance) { return instance.param.name; });

TEST(MoeTolerance, HalfPrecisionScoresAreCaughtByCloseMargins) {
  const auto generator = small().make_generator(8);
  for (std::uint64_t call = 0; call < 5; ++call) {
    const task::Workload workload = make_workload(33, "half");
    OperatorTrial trial(small(), workload);
    generator->fill_stress(static_cast<std::size_t>(Kind::close_margins), workload, call, trial.arguments());
    const auto expected = trial.reference();
    run_float32(kSmall, trial, {});
    EXPECT_EQ(trial.judge(expected), "");
    run_float32(kSmall, trial, {}, Mistake::half_precision_scores);
    EXPECT_NE(trial.judge(expected), "") << call;
  }
}

TEST(MoeTolerance, AtTheContestsSize) {
  // One token with one local expert: the 31 others stay pages that were never touched.
  task::Workload workload;
  for (int i = 0; workload.uuid.empty(); ++i) {
    const std::string uuid = "contest size " + std::to_string(i);
    const RouterInputs inputs = draw_workload_routing(kContest, uuid, 1, 32);
    const Routing routing =
        route(kContest, std::as_bytes(std::span(inputs.logits)), std::as_bytes(std::span(inputs.bias)), 32, 1);
    workload = active_experts(kContest, routing, 32).size() == 1 ? make_workload(1, uuid, 32) : workload;
  }
  OperatorTrial trial(contest(), workload);
  contest().make_generator(1)->fill(workload, 0, trial.arguments());
  const auto expected = trial.reference();
  ASSERT_FALSE(std::ranges::all_of(expected[0], [](double x) { return x == 0; }));
  std::printf("one token at the contest's size:\n");
  for (const NamedStyle& style : honest_styles()) {
    if (style.name == "promoted_float32" || style.name == "promoted_bfloat16_everywhere" ||
        style.style.float8_intermediate) {
      run_float32(kContest, trial, style.style);
      EXPECT_EQ(trial.judge(expected), "") << style.name;
      print(style.name,
            error_of(kContest, trial, style.style.float8_intermediate ? requantised(kContest, trial) : expected));
    }
  }
  for (const NamedMistake& mistake : kMistakes) {
    if (mistake.mistake == Mistake::last_block_of_gemm2_dropped || mistake.mistake == Mistake::float8_two_bits ||
        mistake.mistake == Mistake::first_element_dropped_of_each_block) {
      run_float32(kContest, trial, {}, mistake.mistake);
      EXPECT_NE(trial.judge(expected), "");
      print(mistake.name, error_of(kContest, trial, expected));
    }
  }
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
