// What must hold of the reference whatever the inputs are.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/gdn_prefill/lengths.hpp>
#include <assay/operators/gdn_prefill/workload_for_test.hpp>

namespace assay::operators::gdn_prefill {
namespace {

constexpr Dimensions kDimensions = kSmallDimensions;

/// Bytes of one token, or one sequence, or all of an input.
std::size_t unit_bytes(OperatorTrial& trial, std::size_t input, std::size_t units) {
  return trial.input(input).bytes.size() / units;
}

bool is_by_token(std::size_t input) { return input == kQ || input == kK || input == kV || input == kA || input == kB; }

/// Makes a call of the sequences of `from` in this order (each may come more than once or not at all).
OperatorTrial select(OperatorTrial& from, const std::vector<std::int64_t>& lengths,
                     const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> chosen;
  for (const std::size_t i : order) {
    chosen.push_back(lengths[i]);
  }
  const std::vector<std::int64_t> starts = cumulative(lengths);
  OperatorTrial to(small_instance(), make_workload(chosen));
  for (std::size_t input = 0; input < kScale; ++input) {
    const auto& source = from.input(input).bytes;
    const auto& target = to.input(input).bytes;
    if (input == kALog || input == kDtBias) {
      std::copy(source.begin(), source.end(), target.begin());
      continue;
    }
    if (input == kCuSeqlens) {
      const auto new_starts = cumulative(chosen);
      std::copy(new_starts.begin(), new_starts.end(), to.in<std::int64_t>(kCuSeqlens).begin());
      continue;
    }
    auto at = target.begin();
    for (const std::size_t i : order) {
      const bool by_token = is_by_token(input);
      const std::size_t unit =
          unit_bytes(from, input, by_token ? static_cast<std::size_t>(starts.back()) : lengths.size());
      const std::size_t first = by_token ? static_cast<std::size_t>(starts[i]) : i;
      const std::size_t count = by_token ? static_cast<std::size_t>(lengths[i]) : 1;
      at = std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(first * unit), count * unit, at);
    }
  }
  to.arguments()[kScale] = from.arguments()[kScale];
  return to;
}

/// Part of an output that belongs to one sequence.
std::vector<double> part(const std::vector<ExpectedValues>& outputs, const std::vector<std::int64_t>& lengths,
                         std::size_t sequence, Output output) {
  const std::vector<std::int64_t> starts = cumulative(lengths);
  const std::size_t token = kDimensions.value_heads * kDimensions.head_size;
  const std::size_t state = kDimensions.value_heads * kDimensions.state_size();
  const auto first = static_cast<std::ptrdiff_t>(output == kOutput ? static_cast<std::size_t>(starts[sequence]) * token
                                                                   : sequence * state);
  const auto count =
      static_cast<std::ptrdiff_t>(output == kOutput ? static_cast<std::size_t>(lengths[sequence]) * token : state);
  return {outputs[output].begin() + first, outputs[output].begin() + first + count};
}

const std::vector<std::int64_t> kSequenceLengths = {5, 0, 70, 1, 17};

class GdnPrefillProperties : public testing::Test {
 protected:
  GdnPrefillProperties()
      : trial_(usual_trial(small_instance(), make_workload(kSequenceLengths))), expected_(trial_.reference()) {}

  OperatorTrial trial_;
  std::vector<ExpectedValues> expected_;
};

TEST_F(GdnPrefillProperties, PermutedSequencesGivePermutedOutputs) {
  const std::vector<std::size_t> order = {3, 2, 4, 1, 0};
  std::vector<std::int64_t> permuted;
  for (const std::size_t i : order) {
    permuted.push_back(kSequenceLengths[i]);
  }
  const auto outputs = select(trial_, kSequenceLengths, order).reference();
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(part(outputs, permuted, i, kOutput), part(expected_, kSequenceLengths, order[i], kOutput)) << i;
    EXPECT_EQ(part(outputs, permuted, i, kNewState), part(expected_, kSequenceLengths, order[i], kNewState)) << i;
  }
}

TEST_F(GdnPrefillProperties, ASequenceAloneGivesWhatItGivesAmongOthers) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
    const auto outputs = select(trial_, kSequenceLengths, {i}).reference();
    EXPECT_EQ(part(outputs, {kSequenceLengths[i]}, 0, kOutput), part(expected_, kSequenceLengths, i, kOutput)) << i;
    EXPECT_EQ(part(outputs, {kSequenceLengths[i]}, 0, kNewState), part(expected_, kSequenceLengths, i, kNewState)) << i;
  }
}

TEST_F(GdnPrefillProperties, ASequenceCutInTwoGoesOnFromTheStateThatTheFirstPartLeft) {
  auto whole = select(trial_, kSequenceLengths, {2});
  const auto expected = whole.reference();
  // The second part is the same tokens in a call of their own: [0, 30) and [30, 70), the state rounded to float32.
  const std::vector<std::int64_t> halves = {30, 40};
  OperatorTrial both(small_instance(), make_workload(halves));
  for (const std::size_t input : {kQ, kK, kV, kALog, kA, kDtBias, kB}) {
    std::ranges::copy(whole.input(input).bytes, both.input(input).bytes.begin());
  }
  std::ranges::copy(cumulative(halves), both.in<std::int64_t>(kCuSeqlens).begin());
  both.arguments()[kScale] = whole.arguments()[kScale];
  const auto state = both.in<float>(kState);
  std::ranges::copy(whole.in<float>(kState), state.begin());
  const auto left = part(both.reference(), halves, 0, kNewState);
  std::transform(left.begin(), left.end(), state.begin() + static_cast<std::ptrdiff_t>(left.size()),
                 [](double value) { return static_cast<float>(value); });
  const auto outputs = both.reference();
  const auto state_after = part(outputs, halves, 1, kNewState);
  for (std::size_t i = 0; i < state_after.size(); ++i) {
    ASSERT_NEAR(state_after[i], expected[kNewState][i], 1e-6);
  }
  for (std::size_t i = 0; i < expected[kOutput].size(); ++i) {
    ASSERT_NEAR(outputs[kOutput][i], expected[kOutput][i], 1e-6);
  }
}

TEST_F(GdnPrefillProperties, PowersOfTwoPassThroughExactly) {
  // Values and states by 2^5, queries by 2^-3: outputs by 2^2, states by 2^5, and what an honest kernel errs by too.
  for (std::uint16_t& bits : trial_.in<std::uint16_t>(kV)) {
    bits = tensor::to_bfloat16(tensor::from_bfloat16(bits) * 32.0F);
  }
  for (float& value : trial_.in<float>(kState)) {
    value *= 32.0F;
  }
  for (std::uint16_t& bits : trial_.in<std::uint16_t>(kQ)) {
    bits = tensor::to_bfloat16(tensor::from_bfloat16(bits) * 0.125F);
  }
  const auto outputs = trial_.reference();
  const auto expect_scaled = [&](std::size_t output, double factor) {
    for (std::size_t i = 0; i < outputs[output].size(); ++i) {
      ASSERT_DOUBLE_EQ(outputs[output][i], factor * expected_[output][i]) << output << " " << i;
    }
  };
  expect_scaled(kOutput, 4);
  expect_scaled(kNewState, 32);
  expect_scaled(kOutputError, 4);
  expect_scaled(kStateError, 32);
}

TEST_F(GdnPrefillProperties, TheOutputIsLinearInTheScaleAndTheQuery) {
  const double scale = trial_.scalar(kScale);
  trial_.arguments()[kScale] = Scalar(-2 * scale);
  const auto outputs = trial_.reference();
  for (std::size_t i = 0; i < outputs[kOutput].size(); ++i) {
    ASSERT_DOUBLE_EQ(outputs[kOutput][i], -2 * expected_[kOutput][i]);
  }
  EXPECT_TRUE(std::ranges::equal(outputs[kNewState], expected_[kNewState])) << "the state does not know of it";
}

TEST_F(GdnPrefillProperties, ValueHeadsThatShareAKeyDifferByTheirValuesAndGatesAlone) {
  // Give value head 1 what value head 0 has.
  const auto copy_head = [&](auto elements, std::size_t size) {
    for (std::size_t at = 0; at < elements.size(); at += 4 * size) {
      std::copy_n(elements.begin() + static_cast<std::ptrdiff_t>(at), size,
                  elements.begin() + static_cast<std::ptrdiff_t>(at + size));
    }
  };
  copy_head(trial_.in<std::uint16_t>(kV), 16);
  copy_head(trial_.in<std::uint16_t>(kA), 1);
  copy_head(trial_.in<std::uint16_t>(kB), 1);
  copy_head(trial_.in<float>(kALog), 1);
  copy_head(trial_.in<float>(kDtBias), 1);
  copy_head(trial_.in<float>(kState), 256);
  const auto outputs = trial_.reference();
  for (std::size_t at = 0; at < outputs[kOutput].size(); at += 64) {
    for (std::size_t i = 0; i < 16; ++i) {
      ASSERT_EQ(outputs[kOutput][at + i], outputs[kOutput][at + 16 + i]);
    }
    ASSERT_NE(outputs[kOutput][at], outputs[kOutput][at + 32]);
  }
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
