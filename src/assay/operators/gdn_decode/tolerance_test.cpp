// Measures what an honest float32 kernel differs from the reference by, and holds the operator's tolerances
// between that and every mistake that must not pass. `--gtest_filter=GdnDecodeTolerance.*` prints the numbers
// that docs/operators/gdn_decode.md quotes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <assay/operators/gdn_decode/float32_for_test.hpp>

namespace assay::operators::gdn_decode {
namespace {

/// How far one output is from the reference.
struct Error {
  double norm = 0;     ///< Largest ||error|| / ||expected|| of a (batch, head).
  double element = 0;  ///< Largest |error| / (what the element rule allows).

  void include(const Error& other) {
    norm = std::max(norm, other.norm);
    element = std::max(element, other.element);
  }
};

std::vector<double> values_of(const tensor::View& view) {
  std::vector<double> values;
  if (view.dtype == tensor::DType::bfloat16) {
    for (const std::uint16_t bits : Trial::elements<std::uint16_t>(view)) {
      values.push_back(static_cast<double>(tensor::from_bfloat16(bits)));
    }
  } else {
    const auto elements = Trial::elements<float>(view);
    values.assign(elements.begin(), elements.end());
  }
  return values;
}

Error error_of(const tensor::View& view, const std::vector<double>& expected, std::size_t block,
               const tensor::ComparisonRule& rule) {
  const std::vector<double> got = values_of(view);
  double square = 0;
  for (const double value : expected) {
    square += value * value;
  }
  const double absolute = rule.absolute_of_rms * std::sqrt(square / static_cast<double>(expected.size()));
  Error error;
  for (std::size_t first = 0; first < expected.size(); first += block) {
    double difference_square = 0;
    double expected_square = 0;
    for (std::size_t i = first; i < first + block; ++i) {
      const double difference = got[i] - expected[i];
      difference_square += difference * difference;
      expected_square += expected[i] * expected[i];
      error.element =
          std::max(error.element, std::fabs(difference) / (absolute + rule.relative * std::fabs(expected[i])));
    }
    const double norm = std::sqrt(difference_square / expected_square);
    error.norm = std::isnan(norm) ? std::numeric_limits<double>::infinity() : std::max(error.norm, norm);
  }
  return error;
}

std::vector<Style> honest_styles() {
  std::vector<Style> styles;
  for (const std::size_t strands : {1U, 4U, 16U, 64U}) {
    styles.push_back({strands, false, false, Style::Gate::log1p});
    styles.push_back({strands, false, true, Style::Gate::log_of_sum});
    styles.push_back({strands, true, strands == 4, Style::Gate::log1p});
  }
  styles.push_back({16, true, true, Style::Gate::base_two});
  styles.push_back({16, true, false, Style::Gate::base_two});
  return styles;
}

TEST(GdnDecodeTolerance, AnHonestFloat32KernelPassesWithRoomToSpare) {
  Trial trial(2);
  Error output;
  Error new_state;
  const tensor::ComparisonRule output_rule = instance().rule(kOutput);
  const tensor::ComparisonRule state_rule = instance().rule(kNewState);
  int trials = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto generator = instance().make_generator(seed);
    const task::Workload workload = make_workload(2, "honest");
    for (std::uint64_t call = 0; call < 8; ++call) {
      generator->fill(workload, call, trial.arguments());
      const auto expected = trial.reference();
      for (const Style& style : honest_styles()) {
        trial.poison();
        run_float32(trial, style);
        ASSERT_EQ(trial.judge(expected), "") << "strands " << style.strands << " call " << call;
        output.include(error_of(trial.output(kOutput), expected[kOutput], kHeadSize, output_rule));
        new_state.include(error_of(trial.output(kNewState), expected[kNewState], kStateSize, state_rule));
        ++trials;
      }
    }
  }
  std::printf("honest float32, %d trials:\n", trials);
  std::printf("  output    norm %.2e (rule %.2e), worst element at %.3f of what is allowed\n", output.norm,
              output_rule.norm, output.element);
  std::printf("  new_state norm %.2e (rule %.2e), worst element at %.3f of what is allowed\n", new_state.norm,
              state_rule.norm, new_state.element);
  // Rounding to bfloat16 cannot err by more than 2^-8 of the value: twice a bound is room enough.
  EXPECT_GE(output_rule.relative, 0x1p-7);
  EXPECT_GE(output_rule.norm, 0x1p-7);
  EXPECT_LT(output.element, 0.51);
  EXPECT_LE(output.norm * 2, output_rule.norm);
  EXPECT_LT(new_state.element * 4, 1);
  EXPECT_LT(new_state.norm * 4, state_rule.norm);
}

struct NamedMistake {
  const char* name;
  Mistake mistake;
};

class GdnDecodeMistake : public testing::TestWithParam<NamedMistake> {};

TEST_P(GdnDecodeMistake, FailsInEveryKindOfCall) {
  // Two batch entries: where one starts from a zero state, in which a wrong decay cannot show, the other does
  // not.
  Trial trial(2);
  const auto generator = instance().make_generator(5);
  const task::Workload workload = make_workload(2, "mistakes");
  double least_norm = 1e300;
  for (std::uint64_t call = 0; call < 8; ++call) {
    generator->fill(workload, call, trial.arguments());
    const auto expected = trial.reference();
    trial.poison();
    run_float32(trial, {16, true, false, Style::Gate::log1p}, GetParam().mistake);
    EXPECT_NE(trial.judge(expected), "") << "call " << call;
    const tensor::ComparisonRule output_rule = instance().rule(kOutput);
    const tensor::ComparisonRule state_rule = instance().rule(kNewState);
    const Error output = error_of(trial.output(kOutput), expected[kOutput], kHeadSize, output_rule);
    const Error state = error_of(trial.output(kNewState), expected[kNewState], kStateSize, state_rule);
    least_norm = std::min(least_norm, std::max(output.norm / output_rule.norm, state.norm / state_rule.norm));
  }
  std::printf("%-22s is beyond the norm rule by a factor of at least %.3g in every call\n", GetParam().name,
              least_norm);
}

INSTANTIATE_TEST_SUITE_P(
    All, GdnDecodeMistake,
    testing::Values(
        NamedMistake{"zeros", Mistake::zeros}, NamedMistake{"copied_state", Mistake::copied_state},
        NamedMistake{"no_beta", Mistake::no_beta}, NamedMistake{"no_decay", Mistake::no_decay},
        NamedMistake{"no_softplus", Mistake::no_softplus}, NamedMistake{"no_dt_bias", Mistake::no_dt_bias},
        NamedMistake{"decay_after_update", Mistake::decay_after_update},
        NamedMistake{"undecayed_prediction", Mistake::undecayed_prediction},
        NamedMistake{"wrong_query_heads", Mistake::wrong_query_heads},
        NamedMistake{"transposed_state", Mistake::transposed_state},
        NamedMistake{"output_of_old_state", Mistake::output_of_old_state}, NamedMistake{"no_scale", Mistake::no_scale},
        NamedMistake{"scale_twice", Mistake::scale_twice}, NamedMistake{"normalised_keys", Mistake::normalised_keys},
        NamedMistake{"next_batch_gates", Mistake::next_batch_gates},
        NamedMistake{"bfloat16_state", Mistake::bfloat16_state}, NamedMistake{"float16_state", Mistake::float16_state},
        NamedMistake{"bfloat16_gate", Mistake::bfloat16_gate}, NamedMistake{"bfloat16_delta", Mistake::bfloat16_delta},
        NamedMistake{"float8_output", Mistake::float8_output},
        NamedMistake{"last_row_missing", Mistake::last_row_missing}),
    [](const auto& instance_of) { return instance_of.param.name; });

/// A correct pair of outputs, to be spoiled.
class GdnDecodeSpoiled : public testing::Test {
 protected:
  GdnDecodeSpoiled() : trial_(2) {
    instance().make_generator(9)->fill(make_workload(2, "spoiled"), 0, trial_.arguments());
    expected_ = trial_.reference();
    run_float32(trial_, {});
  }
  void SetUp() override { ASSERT_EQ(trial_.judge(expected_), ""); }

  Trial trial_;
  std::vector<std::vector<double>> expected_;
};

TEST_F(GdnDecodeSpoiled, OneElementLeftOutIsNamed) {
  trial_.new_state()[trial_.new_state().size() - 1] = __builtin_nanf("");
  EXPECT_THAT(trial_.judge(expected_), testing::StartsWith("new_state[1, 7, 127, 127] is nan"));
}

TEST_F(GdnDecodeSpoiled, OneElementOfAnyKindOfPoisonFails) {
  for (const float poison : {0.0F, 1e30F, -1e30F, 12345.0F, __builtin_nanf(""), __builtin_inff()}) {
    const float right = trial_.new_state()[20000];
    trial_.new_state()[20000] = poison;
    EXPECT_THAT(trial_.judge(expected_), testing::StartsWith("new_state[0, 1, 28, 32]")) << static_cast<double>(poison);
    trial_.new_state()[20000] = right;
  }
  for (const unsigned poison : {0xffffU, 0x7f80U, 0x7149U, 0xf149U}) {
    const std::uint16_t right = trial_.result()[1000];
    trial_.result()[1000] = static_cast<std::uint16_t>(poison);
    EXPECT_THAT(trial_.judge(expected_), testing::StartsWith("output[0, 0, 7, 104]")) << poison;
    trial_.result()[1000] = right;
  }
  EXPECT_EQ(trial_.judge(expected_), "");
}

TEST_F(GdnDecodeSpoiled, StaleOutputsFail) {
  Trial next(2);
  instance().make_generator(9)->fill(make_workload(2, "spoiled"), 1, next.arguments());
  const auto expected_next = next.reference();
  EXPECT_NE(trial_.judge(expected_next), "");
  // Each of the two alone.
  run_float32(next, {});
  ASSERT_EQ(next.judge(expected_next), "");
  std::copy(trial_.result().begin(), trial_.result().end(), next.result().begin());
  EXPECT_THAT(next.judge(expected_next), testing::StartsWith("output"));
  run_float32(next, {});
  std::copy(trial_.new_state().begin(), trial_.new_state().end(), next.new_state().begin());
  EXPECT_THAT(next.judge(expected_next), testing::StartsWith("new_state"));
}

TEST_F(GdnDecodeSpoiled, OneStaleElementOfTheStateFails) {
  // What stays when one element is not written, and the buffer held the old state.
  const std::size_t at = 70000;
  trial_.new_state()[at] = trial_.float32(kState)[at];
  EXPECT_THAT(trial_.judge(expected_), testing::HasSubstr("1 of 262144 elements"));
}

TEST_F(GdnDecodeSpoiled, OneWrongHeadDoesNotHide) {
  // A single head whose output is 2 % too large: far below the noise of the whole tensor in norm.
  for (std::size_t i = 3 * kHeadSize; i < 4 * kHeadSize; ++i) {
    trial_.result()[i] = tensor::to_bfloat16(tensor::from_bfloat16(trial_.result()[i]) * 1.02F);
  }
  EXPECT_NE(trial_.judge(expected_), "");
}

}  // namespace
}  // namespace assay::operators::gdn_decode
