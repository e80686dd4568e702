#include <assay/operators/moe_fp8_block_scale/reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include <assay/base/random.hpp>
#include <assay/operators/moe_fp8_block_scale/trial_for_test.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

using testing::HasSubstr;

double decoded(OperatorTrial& trial, Input input, std::size_t at) {
  return float8_values()[trial.in<std::uint8_t>(input)[at]];
}

/// A dot product of quantised vectors block by block: the scales multiply the sum of each block, not its terms.
template <class Left, class Right, class Scale>
double block_dot(std::size_t size, const Left& left, const Right& right, const Scale& scale) {
  double sum = 0;
  for (std::size_t block = 0; block < size / kBlock; ++block) {
    double part = 0;
    for (std::size_t k = block * kBlock; k < (block + 1) * kBlock; ++k) {
      part += left(k) * right(k);
    }
    sum += part * scale(block);
  }
  return sum;
}

/// The same token by token: for each token its experts, and for each of those its two products.
std::vector<double> token_major(const Dimensions& d, OperatorTrial& trial) {
  const std::size_t tokens = trial.axis("seq_len");
  const Routing routing = route(d, trial.const_arguments());
  const auto offset = static_cast<std::int64_t>(trial.scalar(kLocalExpertOffset));
  std::vector<double> output;
  for (std::size_t t = 0; t < tokens; ++t) {
    std::vector<double> row(d.hidden, 0.0);
    for (std::size_t i = 0; i < d.top_k; ++i) {
      const Choice& choice = routing.nominal[t * d.top_k + i];
      const std::size_t e = local_index(d, choice.expert, offset);
      if (e == d.local_experts) {
        continue;
      }
      const auto gate = [&](std::size_t n) {
        return block_dot(
            d.hidden, [&](std::size_t k) { return decoded(trial, kHidden, t * d.hidden + k); },
            [&](std::size_t k) { return decoded(trial, kGemm1Weights, (e * d.gemm1_rows() + n) * d.hidden + k); },
            [&](std::size_t block) {
              return static_cast<double>(trial.in<float>(kHiddenScale)[block * tokens + t]) *
                     static_cast<double>(trial.in<float>(
                         kGemm1WeightsScale)[(e * d.gemm1_blocks() + n / kBlock) * d.hidden_blocks() + block]);
            });
      };
      std::vector<double> intermediate;
      for (std::size_t j = 0; j < d.intermediate; ++j) {
        const double g = gate(d.intermediate + j);
        intermediate.push_back(gate(j) * g * 0.5 * (1.0 + std::tanh(0.5 * g)));
      }
      for (std::size_t h = 0; h < d.hidden; ++h) {
        row[h] +=
            static_cast<double>(choice.weight) *
            block_dot(
                d.intermediate, [&](std::size_t j) { return intermediate[j]; },
                [&](std::size_t j) { return decoded(trial, kGemm2Weights, (e * d.hidden + h) * d.intermediate + j); },
                [&](std::size_t block) {
                  return static_cast<double>(trial.in<float>(
                      kGemm2WeightsScale)[(e * d.hidden_blocks() + h / kBlock) * d.intermediate_blocks() + block]);
                });
      }
    }
    output.insert(output.end(), row.begin(), row.end());
  }
  return output;
}

double rms(std::span<const double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0, [](double a, double x) { return a + x * x; });
  return std::sqrt(sum / static_cast<double>(values.size()));
}

void expect_equal(std::span<const double> got, std::span<const double> wanted, double tolerance, const char* what) {
  ASSERT_EQ(got.size(), wanted.size());
  const double scale = rms(wanted);
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], tolerance * scale) << what << " at " << i;
  }
}

class MoeTokenMajor : public testing::TestWithParam<std::int64_t> {};

TEST_P(MoeTokenMajor, AgreesWithTheReference) {
  const std::int64_t tokens = GetParam();
  const auto generator = small().make_generator(2);
  const task::Workload workload = make_workload(tokens, "token major");
  OperatorTrial trial(small(), workload);
  generator->fill(workload, 1, trial.arguments());
  expect_equal(trial.reference()[0], token_major(kSmall, trial), 1e-10, "usual");
  for (std::size_t kind = static_cast<std::size_t>(tokens) % 2; kind < kStressKinds.size(); kind += 2) {
    generator->fill_stress(kind, workload, 0, trial.arguments());
    expect_equal(trial.reference()[0], token_major(kSmall, trial), 1e-10, kStressKinds[kind].name.data());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, MoeTokenMajor, testing::Values(1, 2, 3, 5, 8));

/// One call whose every number can be worked out by hand: everything is zero but what a test sets.
class MoeByHand : public testing::Test {
 protected:
  MoeByHand() : trial_(small(), make_workload(2, "by hand")) {
    trial_.arguments()[kLocalExpertOffset] = Scalar(std::int64_t{4});
    trial_.arguments()[kRoutedScalingFactor] = Scalar(3.0);
    // Token 1 takes experts 5, 6, 8 and 9 (sigmoids 3/4, 1/2, 1/2, 1/4, which sum to 2); token 0 none that is here.
    std::fill(trial_.in<float>(kLogits).begin(), trial_.in<float>(kLogits).end(), -20.0F);
    for (const auto& [token, expert, logit] : {std::tuple{0U, 0U, 3.0},
                                               {0U, 1U, 3.0},
                                               {0U, 12U, 3.0},
                                               {0U, 13U, 3.0},
                                               {1U, 5U, std::log(3.0)},
                                               {1U, 6U, 0.0},
                                               {1U, 8U, 0.0},
                                               {1U, 9U, -std::log(3.0)}}) {
      trial_.in<float>(kLogits)[token * 16 + expert] = static_cast<float>(logit);
    }
  }

  void set(Input input, std::size_t at, float value) {
    trial_.in<std::uint8_t>(input)[at] = tensor::to_float8_e4m3fn(value);
  }
  /// Local expert 1 gets linear part 8 (of element 5) and gate 1 (of element 200) in intermediate element 130, and
  /// multiplies it into output element 200.
  void set_expert_one() {
    set(kHidden, 256 + 5, 2);  // Token 1, element 5.
    set(kHidden, 256 + 200, 4);
    trial_.in<float>(kHiddenScale)[0 * 2 + 1] = 0.5F;                   // Block 0, token 1.
    trial_.in<float>(kHiddenScale)[1 * 2 + 1] = -0.25F;                 // Block 1.
    set(kGemm1Weights, (1 * 512 + 130) * 256 + 5, 16);                  // Linear row 130.
    set(kGemm1Weights, (1 * 512 + 256 + 130) * 256 + 200, 2);           // Its gate.
    trial_.in<float>(kGemm1WeightsScale)[(1 * 4 + 1) * 2 + 0] = 0.5F;   // Rows 128 to 255, block 0.
    trial_.in<float>(kGemm1WeightsScale)[(1 * 4 + 3) * 2 + 1] = -0.5F;  // Rows 384 to 511, block 1.
    set(kGemm2Weights, (1 * 256 + 200) * 256 + 130, 4);
    trial_.in<float>(kGemm2WeightsScale)[(1 * 2 + 1) * 2 + 1] = 10;  // Rows 128 to 255, block 1.
  }

  OperatorTrial trial_;
};

TEST_F(MoeByHand, WithNothingButZerosAllIsZero) { EXPECT_THAT(trial_.reference()[0], testing::Each(0.0)); }

TEST_F(MoeByHand, OneElement) {
  set_expert_one();
  const auto output = trial_.reference()[0];
  // Linear: 2 * 0.5 * 16 * 0.5 = 8. Gate: 4 * -0.25 * 2 * -0.5 = 1. C = 8 silu(1). Output 4 * 10 * C, weight
  // 3 * (3/4) / 2.
  const double c = 8 / (1 + std::exp(-1.0));
  EXPECT_NEAR(output[256 + 200], 3 * 0.75 / 2 * 40 * c, 1e-4);
  EXPECT_EQ(std::count_if(output.begin(), output.end(), [](double x) { return x != 0; }), 1);
}

TEST_F(MoeByHand, TheBiasChangesTheSelectionButNotTheSigmoids) {
  set_expert_one();
  trial_.in<std::uint16_t>(kBias)[10] = tensor::to_bfloat16(4);  // Takes the place of expert 9 for token 1.
  const double c = 8 / (1 + std::exp(-1.0));
  EXPECT_NEAR(trial_.reference()[0][256 + 200], 3 * 0.75 / 1.75 * 40 * c, 1e-4);
}

TEST_F(MoeByHand, TheOffsetSaysWhichExpertsAreHere) {
  set_expert_one();
  trial_.arguments()[kLocalExpertOffset] = Scalar(std::int64_t{8});
  // Local expert 1 is now expert 9, of weight 3 * (1/4) / 2.
  const double c = 8 / (1 + std::exp(-1.0));
  EXPECT_NEAR(trial_.reference()[0][256 + 200], 3 * 0.25 / 2 * 40 * c, 1e-4);
  trial_.arguments()[kLocalExpertOffset] = Scalar(std::int64_t{3});
  // Local expert 1 is expert 4, which nobody selects; local expert 2 is expert 5 and all zero.
  EXPECT_THAT(trial_.reference()[0], testing::Each(0.0));
}

/// A call with more than one of everything.
class MoeProperty : public testing::Test {
 protected:
  MoeProperty() : workload_(make_workload(21, "property")), trial_(small(), workload_) {
    small().make_generator(6)->fill(workload_, 0, trial_.arguments());
    expected_ = trial_.reference()[0];
  }

  task::Workload workload_;
  OperatorTrial trial_;
  ExpectedValues expected_;
};

/// Copies the tokens `order` of one trial to another.
void copy_tokens(OperatorTrial& from, OperatorTrial& to, const std::vector<std::size_t>& order) {
  const auto copy_rows = [&](Input input, std::size_t width) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::memcpy(to.input(input).bytes.data() + i * width, from.input(input).bytes.data() + order[i] * width, width);
    }
  };
  copy_rows(kLogits, kSmall.experts * sizeof(float));
  copy_rows(kHidden, kSmall.hidden);
  for (std::size_t block = 0; block < kSmall.hidden_blocks(); ++block) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      to.in<float>(kHiddenScale)[block * to.axis("seq_len") + i] =
          from.in<float>(kHiddenScale)[block * from.axis("seq_len") + order[i]];
    }
  }
  for (const Input input : {kBias, kGemm1Weights, kGemm1WeightsScale, kGemm2Weights, kGemm2WeightsScale}) {
    std::memcpy(to.input(input).bytes.data(), from.input(input).bytes.data(), from.input(input).bytes.size());
  }
  to.arguments()[kLocalExpertOffset] = from.arguments()[kLocalExpertOffset];
  to.arguments()[kRoutedScalingFactor] = from.arguments()[kRoutedScalingFactor];
}

TEST_F(MoeProperty, TokensMayBePermutedAndTakenAlone) {
  std::vector<std::size_t> order(21);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::reverse(order.begin() + 3, order.end());
  for (const std::size_t count : {std::size_t{21}, std::size_t{1}, std::size_t{8}}) {
    OperatorTrial other(small(), make_workload(static_cast<std::int64_t>(count), "property"));
    order.resize(count);
    copy_tokens(trial_, other, order);
    const auto got = other.reference()[0];
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t h = 0; h < kSmall.hidden; ++h) {
        ASSERT_EQ(got[i * kSmall.hidden + h], expected_[order[i] * kSmall.hidden + h]) << "exactly, whatever is beside";
      }
    }
  }
}

TEST_F(MoeProperty, ExpertsOfAGroupMayBePermuted) {
  // Exchanges local experts 1 and 3, global 5 and 7.
  for (std::size_t t = 0; t < 21; ++t) {
    std::swap(trial_.in<float>(kLogits)[t * 16 + 5], trial_.in<float>(kLogits)[t * 16 + 7]);
  }
  std::swap(trial_.in<std::uint16_t>(kBias)[5], trial_.in<std::uint16_t>(kBias)[7]);
  for (const Input input : {kGemm1Weights, kGemm1WeightsScale, kGemm2Weights, kGemm2WeightsScale}) {
    const auto bytes = trial_.input(input).bytes;
    const auto quarter = static_cast<std::ptrdiff_t>(bytes.size() / 4);
    std::swap_ranges(bytes.begin() + quarter, bytes.begin() + 2 * quarter, bytes.begin() + 3 * quarter);
  }
  expect_equal(trial_.reference()[0], expected_, 1e-14, "permuted");
}

TEST_F(MoeProperty, GroupsMayBePermutedIfTheOffsetFollows) {
  for (std::size_t t = 0; t < 21; ++t) {
    const auto logits = trial_.in<float>(kLogits).subspan(t * 16, 16);
    std::swap_ranges(logits.begin() + 4, logits.begin() + 8, logits.begin() + 12);
  }
  const auto bias = trial_.in<std::uint16_t>(kBias);
  std::swap_ranges(bias.begin() + 4, bias.begin() + 8, bias.begin() + 12);
  trial_.arguments()[kLocalExpertOffset] = Scalar(std::int64_t{12});
  expect_equal(trial_.reference()[0], expected_, 1e-14, "permuted");
}

TEST_F(MoeProperty, PowersOfTwoScaleExactly) {
  for (float& scale : trial_.in<float>(kGemm2WeightsScale)) {
    scale *= 0x1p5F;
  }
  trial_.arguments()[kRoutedScalingFactor] = Scalar(trial_.scalar(kRoutedScalingFactor) * 0x1p-3);
  // From the scale of x to that of W1 there is nothing but products.
  for (float& scale : trial_.in<float>(kHiddenScale)) {
    scale *= 0x1p-7F;
  }
  for (float& scale : trial_.in<float>(kGemm1WeightsScale)) {
    scale *= 0x1p7F;
  }
  const auto got = trial_.reference()[0];
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], 4 * expected_[i]);
  }
}

TEST_F(MoeProperty, ShardsAddUpToAllExperts) {
  // All experts alike: then a token's weights sum to the factor, over the four shards that four calls compute.
  const std::size_t copied = active_experts(kSmall, route(kSmall, trial_.const_arguments()), 4).front();
  for (const Input input : {kGemm1Weights, kGemm1WeightsScale, kGemm2Weights, kGemm2WeightsScale}) {
    const auto bytes = trial_.input(input).bytes;
    const std::size_t quarter = bytes.size() / 4;
    for (std::size_t e = 0; e < 4; ++e) {
      std::memmove(bytes.data() + e * quarter, bytes.data() + copied * quarter, quarter);
    }
  }
  std::vector<double> sum(expected_.size(), 0.0);
  for (const std::int64_t offset : {0, 4, 8, 12}) {
    trial_.arguments()[kLocalExpertOffset] = Scalar(offset);
    const auto part = trial_.reference()[0];
    std::transform(part.begin(), part.end(), sum.begin(), sum.begin(), std::plus<>());
  }
  std::fill(trial_.in<float>(kLogits).begin(), trial_.in<float>(kLogits).end(), -20.0F);
  for (std::size_t t = 0; t < 21; ++t) {
    std::fill_n(trial_.in<float>(kLogits).begin() + static_cast<std::ptrdiff_t>(t * 16), 4, 2.0F);
  }
  trial_.arguments()[kLocalExpertOffset] = Scalar(std::int64_t{0});
  const auto whole = trial_.reference()[0];
  EXPECT_GT(rms(whole), 0);
  expect_equal(sum, whole, 1e-12, "alike");
}

TEST(MoeReference, ManyTokensOfOneExpertAreCutIntoChunks) {
  OperatorTrial trial = make_stressed(Kind::one_expert, 1100);
  const auto expected = trial.reference()[0];
  OperatorTrial last(small(), make_workload(1, "last"));
  copy_tokens(trial, last, {1099});
  const auto alone = last.reference()[0];
  EXPECT_GT(rms(alone), 0);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), expected.end() - 256));
}

TEST(MoeReference, ArgumentsThatDoNotFitAreErrors) {
  OperatorTrial trial(small(), make_workload(2, "errors"));
  const task::AxisValues axes{{"seq_len", 2}};
  auto inputs = trial.const_arguments();
  std::vector<ExpectedValues> outputs;
  EXPECT_TRUE(small().reference(axes, inputs, outputs).has_value());
  const auto expect_error = [&](const task::AxisValues& given, const char* part) {
    const auto result = small().reference(given, inputs, outputs);
    ASSERT_FALSE(result.has_value()) << part;
    EXPECT_EQ(result.error().owner, base::Owner::internal);
    EXPECT_THAT(result.error().message, HasSubstr(part));
  };
  expect_error({}, "seq_len");
  expect_error({{"seq_len", 3}}, "routing_logits");
  inputs[kLocalExpertOffset] = inputs[kBias];
  expect_error(axes, "local_expert_offset");
  inputs = trial.const_arguments();
  inputs[kGemm2Weights] = Scalar(1.0);
  expect_error(axes, "gemm2_weights");
  inputs = trial.const_arguments();
  std::get<tensor::ConstView>(inputs[kHidden]).dtype = tensor::DType::int8;
  expect_error(axes, "hidden_states");
  inputs = trial.const_arguments();
  inputs.pop_back();
  expect_error(axes, "ten inputs");
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
