#include <assay/operators/gdn_prefill/reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <assay/operators/gdn_decode/operator.hpp>
#include <assay/operators/gdn_prefill/chunked_for_test.hpp>
#include <assay/operators/gdn_prefill/stress.hpp>
#include <assay/operators/gdn_prefill/workload_for_test.hpp>

namespace assay::operators::gdn_prefill {
namespace {

using testing::HasSubstr;

/// Largest difference between a reference's output and a second one's, in units of the output's RMS.
double difference(const ExpectedValues& expected, const std::vector<double>& other) {
  EXPECT_EQ(expected.size(), other.size());
  double square = 0;
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    square += expected[i] * expected[i];
    largest = std::max(largest, std::fabs(expected[i] - other[i]));
  }
  return largest == 0 ? 0 : largest / std::sqrt(square / static_cast<double>(expected.size()));
}

double difference_by_chunks(OperatorTrial& trial, const Dimensions& dimensions, const Style& style) {
  const auto expected = trial.reference();
  const auto other = run_chunked<double>(trial, dimensions, style);
  return std::max(difference(expected[kOutput], other.output), difference(expected[kNewState], other.new_state));
}

TEST(GdnPrefillReference, AgreesWithTheChunkedFormOnEveryStressKind) {
  const auto generator = small_instance().make_generator(5);
  double largest = 0;
  for (std::uint64_t index = 0; index < 8 * kStressKinds.size(); ++index) {
    auto trial = stress_trial(small_instance(), *generator, 5, index, 400'000);
    const Style style{index % 2 == 0 ? 64U : 24U, Style::Operand::as_is, index % 3 == 0, 1};
    const double found = difference_by_chunks(trial, kSmallDimensions, style);
    EXPECT_LT(found, 1e-10) << "trial " << index;
    largest = std::max(largest, found);
  }
  std::printf("recurrence against chunks: at most %.1e of the RMS\n", largest);
}

TEST(GdnPrefillReference, AgreesWithTheChunkedFormAtTheContestsSize) {
  auto trial = usual_trial(contest_instance(), make_workload({130, 0, 1, 63}));
  EXPECT_LT(difference_by_chunks(trial, kContestDimensions, {64, Style::Operand::as_is, false, 8}), 1e-10);
}

TEST(GdnPrefillReference, OneTokenASequenceIsADecodeStep) {
  const std::size_t count = 3;
  auto trial = usual_trial(contest_instance(), make_workload({1, 1, 1}));
  std::vector<ConstArgument> decode = trial.const_arguments();
  decode.erase(decode.begin() + kCuSeqlens);
  std::vector<ExpectedValues> outputs;
  ASSERT_TRUE(gdn_decode::instance().reference({{"batch_size", count}}, decode, outputs).has_value());
  const auto expected = trial.reference();
  for (const std::size_t output : {kOutput, kNewState}) {
    EXPECT_LT(difference(expected[output], {outputs[output].begin(), outputs[output].end()}), 1e-14);
  }
}

/// Two sequences of the small definition, of 2 and 0 tokens, all zeros.
class GdnPrefillByHand : public testing::Test {
 protected:
  static constexpr std::size_t kSize = 16;

  GdnPrefillByHand() : trial_(small_instance(), make_workload({2, 0})) {
    trial_.arguments()[kScale] = Scalar(0.5);
    const auto starts = trial_.in<std::int64_t>(kCuSeqlens);
    starts[1] = starts[2] = 2;
  }

  void set(Input input, std::size_t at, float value) {
    if (trial_.input(input).dtype == tensor::DType::bfloat16) {
      trial_.in<std::uint16_t>(input)[at] = tensor::to_bfloat16(value);
    } else {
      trial_.in<float>(input)[at] = value;
    }
  }
  /// Sets element i of a query or key of a token and head, and of a value.
  void set_query(Input input, std::size_t token, std::size_t head, std::size_t i, float value) {
    set(input, (token * 2 + head) * kSize + i, value);
  }
  static std::size_t value_at(std::size_t token, std::size_t head, std::size_t i) {
    return (token * 4 + head) * kSize + i;
  }
  static std::size_t state_at(std::size_t sequence, std::size_t head, std::size_t row, std::size_t column) {
    return ((sequence * 4 + head) * kSize + row) * kSize + column;
  }

  OperatorTrial trial_;
};

TEST_F(GdnPrefillByHand, WithNothingButZerosAllIsZero) {
  const auto outputs = trial_.reference();
  for (const std::size_t output : {kOutput, kNewState}) {
    EXPECT_TRUE(std::ranges::all_of(outputs[output], [](double value) { return value == 0; }));
  }
}

TEST_F(GdnPrefillByHand, TwoTokensOfOneHead) {
  // Value head 3 uses query and key head 1. a + dt_bias = 0: softplus is log 2, and with A = exp(A_log) = 1 the decay
  // is g = 1/2. b = 0: beta = 1/2. Row 5 of the state is [8, 4, 0, …].
  set(kState, state_at(0, 3, 5, 0), 8);
  set(kState, state_at(0, 3, 5, 1), 4);
  set(kA, 3, 1);      // Token 0 …
  set(kA, 4 + 3, 1);  // … and token 1.
  set(kDtBias, 3, -1);
  // Token 0: k = [1, 2, 0, …], v[5] = 10, q = [3, 0, 5, 0, …].
  set_query(kK, 0, 1, 0, 1);
  set_query(kK, 0, 1, 1, 2);
  set_query(kQ, 0, 1, 0, 3);
  set_query(kQ, 0, 1, 2, 5);
  set(kV, value_at(0, 3, 5), 10);
  // Token 1: k = [0, 0, 1, 0, …], v[5] = 6, q = [1, 1, 1, 0, …].
  set_query(kK, 1, 1, 2, 1);
  for (std::size_t i = 0; i < 3; ++i) {
    set_query(kQ, 1, 1, i, 1);
  }
  set(kV, value_at(1, 3, 5), 6);
  // The empty sequence was given a state.
  set(kState, state_at(1, 2, 0, 0), 7);

  const auto outputs = trial_.reference();
  // Token 0: decayed [4, 2], prediction 8, delta 1/2 (10 - 8) = 1, row [5, 4]; output 1/2 * 15.
  EXPECT_DOUBLE_EQ(outputs[kOutput][value_at(0, 3, 5)], 7.5);
  // Token 1: decayed [2.5, 2, 0], prediction 0, delta 3, row [2.5, 2, 3]; output 1/2 * 7.5.
  EXPECT_DOUBLE_EQ(outputs[kOutput][value_at(1, 3, 5)], 3.75);
  EXPECT_DOUBLE_EQ(outputs[kNewState][state_at(0, 3, 5, 0)], 2.5);
  EXPECT_DOUBLE_EQ(outputs[kNewState][state_at(0, 3, 5, 1)], 2);
  EXPECT_DOUBLE_EQ(outputs[kNewState][state_at(0, 3, 5, 2)], 3);
  const auto nonzero = [](const ExpectedValues& values) {
    return std::ranges::count_if(values, [](double value) { return value != 0; });
  };
  EXPECT_EQ(nonzero(outputs[kNewState]), 3) << "no other element is touched, and the empty sequence's state is zero";
  EXPECT_EQ(nonzero(outputs[kOutput]), 2);
}

TEST_F(GdnPrefillByHand, AScaleOfZeroMeansTheUsualOne) {
  set(kState, state_at(0, 0, 0, 0), 1);
  set_query(kQ, 0, 0, 0, 1);
  set(kALog, 0, -60);
  trial_.arguments()[kScale] = Scalar(0.0);
  EXPECT_NEAR(trial_.reference()[kOutput][0], 0.25, 1e-12) << "1 / sqrt(16)";
}

TEST_F(GdnPrefillByHand, AStrongDecayForgetsAndSoftplusIsTheIdentityBeyondTwenty) {
  set(kState, state_at(0, 0, 0, 0), 1);
  set(kState, state_at(0, 1, 0, 0), 1);
  set(kALog, 0, 5);
  set(kA, 0, 30);
  set(kALog, 1, -4);
  set(kA, 1, 24);
  const auto outputs = trial_.reference();
  EXPECT_EQ(outputs[kNewState][state_at(0, 0, 0, 0)], 0);
  // Token 1 has a = 0, softplus log 2.
  EXPECT_DOUBLE_EQ(outputs[kNewState][state_at(0, 1, 0, 0)],
                   std::exp(-std::exp(-4.0) * 24.0) * std::exp(-std::exp(-4.0) * std::log(2.0)));
}

TEST_F(GdnPrefillByHand, WhatAnEmptySequenceLeavesIsExact) {
  const auto outputs = trial_.reference();
  const std::size_t rows = 4 * kSize;
  EXPECT_TRUE(std::all_of(outputs[kStateError].begin() + rows, outputs[kStateError].end(),
                          [](double error) { return error == 0; }));
  EXPECT_TRUE(std::all_of(outputs[kStateError].begin(), outputs[kStateError].begin() + rows,
                          [](double error) { return error > 0; }));
}

TEST_F(GdnPrefillByHand, ArgumentsThatDoNotFitAreErrors) {
  auto inputs = trial_.const_arguments();
  std::vector<ExpectedValues> outputs;
  const auto expect_error = [&](const task::AxisValues& axes, const char* part) {
    const auto result = small_instance().reference(axes, inputs, outputs);
    ASSERT_FALSE(result.has_value()) << part;
    EXPECT_EQ(result.error().owner, base::Owner::internal);
    EXPECT_THAT(result.error().message, HasSubstr(part));
  };
  EXPECT_TRUE(small_instance().reference(trial_.axes(), inputs, outputs).has_value());
  expect_error({{"num_seqs", 2}}, "total_seq_len");
  expect_error({{"total_seq_len", 2}}, "num_seqs");
  expect_error({{"total_seq_len", 3}, {"num_seqs", 2}}, "input 0 (q)");
  expect_error({{"total_seq_len", 2}, {"num_seqs", 3}}, "input 3 (state)");
  inputs[kScale] = inputs[kA];
  expect_error(trial_.axes(), "(scale) must be a scalar");
  inputs.pop_back();
  expect_error(trial_.axes(), "ten inputs");
}

TEST_F(GdnPrefillByHand, CuSeqlensMustGoFromZeroToTheLastToken) {
  const auto starts = trial_.in<std::int64_t>(kCuSeqlens);
  std::vector<ExpectedValues> outputs;
  const auto message = [&](std::vector<std::int64_t> values) {
    std::copy(values.begin(), values.end(), starts.begin());
    const auto result = small_instance().reference(trial_.axes(), trial_.const_arguments(), outputs);
    return result ? std::string("accepted") : result.error().message;
  };
  EXPECT_EQ(message({0, 0, 2}), "accepted");
  EXPECT_THAT(message({1, 1, 2}), HasSubstr("element 0 is 1"));
  EXPECT_THAT(message({0, 3, 2}), HasSubstr("element 2 is 2"));
  EXPECT_THAT(message({0, -1, 2}), HasSubstr("element 1 is -1"));
  EXPECT_THAT(message({0, 1, 1}), HasSubstr("total_seq_len = 2"));
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
