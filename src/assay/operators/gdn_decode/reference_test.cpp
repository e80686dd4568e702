#include <assay/operators/gdn_decode/reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

#include <assay/operators/gdn_decode/trial_for_test.hpp>

namespace assay::operators::gdn_decode {
namespace {

using testing::HasSubstr;

using Matrix = std::vector<std::vector<long double>>;
using Column = std::vector<long double>;

long double inner(const Column& x, const Column& y) {
  long double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

Matrix outer(const Column& x, const Column& y) {
  Matrix result(x.size(), Column(y.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      result[i][j] = x[i] * y[j];
    }
  }
  return result;
}

Matrix product(const Matrix& x, const Matrix& y) {
  Matrix result(x.size(), Column(y[0].size(), 0.0L));
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t m = 0; m < y.size(); ++m) {
      for (std::size_t j = 0; j < y[0].size(); ++j) {
        result[i][j] += x[i][m] * y[m][j];
      }
    }
  }
  return result;
}

Column read_column(std::span<const std::uint16_t> values, std::size_t head) {
  Column column;
  for (std::size_t i = 0; i < kHeadSize; ++i) {
    column.push_back(static_cast<long double>(tensor::from_bfloat16(values[head * kHeadSize + i])));
  }
  return column;
}

struct HeadResult {
  Matrix state;
  Column output;
};

/// The same step in another form and another precision: as a linear map of the whole state,
///   S' = (g S) (I - beta k k^T) + beta v k^T,
/// with the matrices written out, in long double; log(1 + e^x) as max(x, 0) + log1p(e^-|x|).
HeadResult step_by_matrices(Trial& trial, std::size_t batch_head) {
  const std::size_t head = batch_head % kValueHeads;
  const std::size_t batch = batch_head / kValueHeads;
  const Column q = read_column(trial.bfloat16(kQ), batch * kQueryHeads + head / 2);
  const Column k = read_column(trial.bfloat16(kK), batch * kQueryHeads + head / 2);
  const Column v = read_column(trial.bfloat16(kV), batch_head);
  const long double x = static_cast<long double>(tensor::from_bfloat16(trial.bfloat16(kA)[batch_head])) +
                        static_cast<long double>(trial.float32(kDtBias)[head]);
  const long double softplus = std::max(x, 0.0L) + std::log1p(std::exp(-std::fabs(x)));
  const long double g = std::exp(-std::exp(static_cast<long double>(trial.float32(kALog)[head])) * softplus);
  const long double beta =
      0.5L * (1.0L + std::tanh(0.5L * static_cast<long double>(tensor::from_bfloat16(trial.bfloat16(kB)[batch_head]))));

  Matrix decayed(kHeadSize, Column(kHeadSize));
  Matrix erase = outer(k, k);
  for (std::size_t i = 0; i < kHeadSize; ++i) {
    for (std::size_t j = 0; j < kHeadSize; ++j) {
      decayed[i][j] = g * static_cast<long double>(trial.float32(kState)[batch_head * kStateSize + i * kHeadSize + j]);
      erase[i][j] = (i == j ? 1.0L : 0.0L) - beta * erase[i][j];
    }
  }
  HeadResult result{product(decayed, erase), {}};
  const Matrix write = outer(v, k);
  for (std::size_t i = 0; i < kHeadSize; ++i) {
    for (std::size_t j = 0; j < kHeadSize; ++j) {
      result.state[i][j] += beta * write[i][j];
    }
    result.output.push_back(static_cast<long double>(trial.scale()) * inner(result.state[i], q));
  }
  return result;
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value * value;
  }
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(GdnDecodeReference, AgreesWithTheMatrixForm) {
  Trial trial(2);
  const auto generator = instance().make_generator(11);
  for (const std::uint64_t call : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
    generator->fill(make_workload(2, "matrices"), call, trial.arguments());
    const auto outputs = trial.reference();
    const double output_rms = rms(outputs[kOutput]);
    const double state_rms = rms(outputs[kNewState]);
    double output_error = 0;
    double state_error = 0;
    // Four heads a call, each head twice over the calls: a matrix product a head is slow.
    for (std::size_t batch_head = call % 4; batch_head < trial.heads(); batch_head += 4) {
      const HeadResult head = step_by_matrices(trial, batch_head);
      for (std::size_t i = 0; i < kHeadSize; ++i) {
        const std::size_t row = batch_head * kHeadSize + i;
        output_error = std::max(output_error, std::fabs(outputs[kOutput][row] - static_cast<double>(head.output[i])));
        for (std::size_t j = 0; j < kHeadSize; ++j) {
          state_error = std::max(
              state_error, std::fabs(outputs[kNewState][row * kHeadSize + j] - static_cast<double>(head.state[i][j])));
        }
      }
    }
    EXPECT_LT(output_error, 1e-10 * output_rms) << "call " << call;
    EXPECT_LT(state_error, 1e-10 * state_rms) << "call " << call;
  }
}

/// One sequence whose every number can be worked out by hand.
class GdnDecodeByHand : public testing::Test {
 protected:
  GdnDecodeByHand() : trial_(1) {
    for (std::size_t i = 0; i < kInputCount; ++i) {
      if (i != kScale) {
        std::fill(trial_.input(i).bytes.begin(), trial_.input(i).bytes.end(), std::byte{0});
      }
    }
    trial_.set_scale(Scalar(0.5));
  }

  void set(Input input, std::size_t at, float value) {
    if (trial_.input(input).dtype == tensor::DType::bfloat16) {
      trial_.bfloat16(input)[at] = tensor::to_bfloat16(value);
    } else {
      trial_.float32(input)[at] = value;
    }
  }

  Trial trial_;
};

TEST_F(GdnDecodeByHand, WithNothingButZerosAllIsZero) {
  for (const auto& output : trial_.reference()) {
    EXPECT_TRUE(std::all_of(output.begin(), output.end(), [](double value) { return value == 0; }));
  }
}

TEST_F(GdnDecodeByHand, OneRowOfOneHead) {
  // Value head 5 uses query and key head 2. a + dt_bias = 0: softplus is log 2, and with A = exp(A_log) = 1
  // the decay is g = 1/2. b = 0: beta = 1/2. Row 3 of the state is [8, 4, 0, …], k = [1, 2, 0, …], q = [3, 0,
  // 5, 0, …], v[3] = 10.
  set(kState, 5 * kStateSize + 3 * kHeadSize + 0, 8);
  set(kState, 5 * kStateSize + 3 * kHeadSize + 1, 4);
  set(kK, 2 * kHeadSize + 0, 1);
  set(kK, 2 * kHeadSize + 1, 2);
  set(kQ, 2 * kHeadSize + 0, 3);
  set(kQ, 2 * kHeadSize + 2, 5);
  set(kV, 5 * kHeadSize + 3, 10);
  set(kA, 5, 1);
  set(kDtBias, 5, -1);
  const auto outputs = trial_.reference();
  // Decayed row [4, 2]; prediction 4 * 1 + 2 * 2 = 8; delta 1/2 (10 - 8) = 1; new row [4 + 1, 2 + 2] = [5,
  // 4].
  const std::size_t row = 5 * kStateSize + 3 * kHeadSize;
  EXPECT_DOUBLE_EQ(outputs[kNewState][row], 5);
  EXPECT_DOUBLE_EQ(outputs[kNewState][row + 1], 4);
  EXPECT_EQ(outputs[kNewState][row + 2], 0);
  // Output 1/2 * (5 * 3 + 4 * 0 + 0 * 5).
  EXPECT_DOUBLE_EQ(outputs[kOutput][5 * kHeadSize + 3], 7.5);
  // Head 4 has the same key, no value and no state; everything else is zero as well.
  EXPECT_EQ(std::count_if(outputs[kNewState].begin(), outputs[kNewState].end(), [](double x) { return x != 0; }), 2);
  EXPECT_EQ(std::count_if(outputs[kOutput].begin(), outputs[kOutput].end(), [](double x) { return x != 0; }), 1);
}

TEST_F(GdnDecodeByHand, AStrongDecayForgetsTheStateAndBetaOneStoresTheValue) {
  std::fill(trial_.float32(kState).begin(), trial_.float32(kState).end(), 3.0F);
  set(kALog, 0, 5);  // exp(5) * softplus(30) is far beyond what exp can hold.
  set(kA, 0, 30);
  set(kB, 0, 100);
  set(kK, 7, 1);
  set(kQ, 7, 2);
  set(kV, 9, 6);
  const auto outputs = trial_.reference();
  EXPECT_DOUBLE_EQ(outputs[kNewState][9 * kHeadSize + 7], 6);
  EXPECT_EQ(outputs[kNewState][9 * kHeadSize + 8], 0);
  EXPECT_DOUBLE_EQ(outputs[kOutput][9], 0.5 * 6 * 2);
}

TEST_F(GdnDecodeByHand, SoftplusIsTheIdentityBeyondTwenty) {
  set(kState, 0, 1);
  set(kALog, 0, -4);
  set(kA, 0, 24);
  const auto outputs = trial_.reference();
  EXPECT_DOUBLE_EQ(outputs[kNewState][0], std::exp(-std::exp(-4.0) * 24.0));
}

TEST_F(GdnDecodeByHand, AScaleOfZeroMeansTheUsualOne) {
  set(kState, 0, 1);
  set(kQ, 0, 1);
  set(kALog, 0, -60);
  for (const Scalar& zero : {Scalar(0.0), Scalar(std::int64_t{0}), Scalar(false)}) {
    trial_.set_scale(zero);
    EXPECT_NEAR(trial_.reference()[kOutput][0], 1 / std::sqrt(128.0), 1e-12);
  }
  trial_.set_scale(Scalar(std::int64_t{2}));
  EXPECT_NEAR(trial_.reference()[kOutput][0], 2, 1e-12);
}

TEST(GdnDecodeReference, BatchEntriesDoNotTouchEachOther) {
  Trial both(2);
  const auto generator = instance().make_generator(3);
  generator->fill(make_workload(2, "apart"), 0, both.arguments());
  const auto together = both.reference();
  Trial second(1);
  for (std::size_t i = 0; i < kInputCount; ++i) {
    if (i == kScale) {
      second.set_scale(Scalar(both.scale()));
      continue;
    }
    const auto& from = both.input(i).bytes;
    const auto& to = second.input(i).bytes;  // Per-head tensors have one size, the others half of `from`.
    std::copy(from.end() - static_cast<std::ptrdiff_t>(to.size()), from.end(), to.begin());
  }
  const auto alone = second.reference();
  for (std::size_t output = 0; output < kOutputCount; ++output) {
    EXPECT_TRUE(std::equal(alone[output].begin(), alone[output].end(),
                           together[output].end() - static_cast<std::ptrdiff_t>(alone[output].size())));
  }
}

TEST(GdnDecodeReference, ArgumentsThatDoNotFitAreErrors) {
  Trial trial(1);
  const task::AxisValues axes{{"batch_size", 1}};
  auto inputs = trial.const_arguments();
  std::vector<ExpectedValues> outputs;
  EXPECT_TRUE(instance().reference(axes, inputs, outputs).has_value());
  const auto expect_error = [&](const task::AxisValues& given, const char* part) {
    const auto result = instance().reference(given, inputs, outputs);
    ASSERT_FALSE(result.has_value()) << part;
    EXPECT_EQ(result.error().owner, base::Owner::internal);
    EXPECT_THAT(result.error().message, HasSubstr(part));
  };
  expect_error({}, "batch_size");
  expect_error({{"batch_size", 0}}, "batch_size");
  expect_error({{"batch_size", 2}}, "input 0");
  inputs[kScale] = inputs[kA];
  expect_error(axes, "(scale) must be a scalar");
  inputs = trial.const_arguments();
  std::get<tensor::ConstView>(inputs[kALog]).dtype = tensor::DType::int32;
  expect_error(axes, "input 4 (A_log) must be a tensor of 8 elements of float32");
  inputs = trial.const_arguments();
  inputs[kState] = Scalar(1.0);
  expect_error(axes, "input 3");
  inputs = trial.const_arguments();
  auto& v = std::get<tensor::ConstView>(inputs[kV]);
  v.bytes = v.bytes.first(v.bytes.size() - 2);
  expect_error(axes, "input 2");
  inputs.pop_back();
  expect_error(axes, "nine inputs");
}

}  // namespace
}  // namespace assay::operators::gdn_decode
