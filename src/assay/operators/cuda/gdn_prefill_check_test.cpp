// The GPU's comparison of a prefill against compare_with_errors: "surely right" only where that finds nothing, and for
// nearly all that is right. The arithmetic is tried on the CPU, block by block; the kernel on a GPU.
#include <assay/operators/cuda/gdn_prefill_check.hpp>

#include <gtest/gtest.h>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <assay/base/random.hpp>
#include <assay/operators/cuda/device_call_for_test.hpp>
#include <assay/operators/cuda/error_comparison.hpp>
#include <assay/operators/gdn_prefill/comparison.hpp>
#include <assay/operators/gdn_prefill/stress.hpp>
#include <assay/operators/gdn_prefill/workload_for_test.hpp>
#include <assay/tensor/rounding.hpp>

namespace assay::operators::gdn_prefill {
namespace {

constexpr ErrorRatios kMost{.element = 6, .norm = 2};
constexpr std::size_t kCases = 20'000;

/// A block of an output with honest errors a run, and errors at about what is allowed.
struct Case {
  std::size_t run = 1;
  std::vector<double> expected;
  std::vector<double> errors;
  std::vector<float> got;

  [[nodiscard]] bool is_right() const {
    const auto bytes = std::as_writable_bytes(std::span(const_cast<float*>(got.data()), got.size()));
    const tensor::ConstView view{"y", tensor::DType::float32, {static_cast<std::int64_t>(got.size())}, bytes};
    return !compare_with_errors(view, expected, errors, expected.size(), kMost).has_value();
  }
  [[nodiscard]] bool is_surely_right() const {
    constexpr std::size_t kStrands = 128;
    std::array<cuda::ErrorSums, kStrands> strands;
    for (std::size_t i = 0; i < got.size(); ++i) {
      cuda::add_element(strands[i % kStrands], static_cast<double>(got[i]), expected[i], errors[i / run], i % run == 0,
                        kMost.element);
    }
    cuda::ErrorSums all;
    for (std::size_t strand = kStrands; strand-- > 0;) {
      all.error_square += strands[strand].error_square;
      all.honest_square += strands[strand].honest_square;
      all.elements_hold = all.elements_hold && strands[strand].elements_hold;
    }
    return cuda::surely_within(all, kMost.norm);
  }
};

Case draw(std::uint64_t index) {
  base::Philox random(11, index);
  constexpr std::array<double, 4> kDistances{0, 1e-7, 1e-5, 0.3};
  Case one;
  one.run = std::array<std::size_t, 3>{1, 4, 16}[random.next_below(3)];
  const std::size_t runs = 1 + random.next_below(40);
  const double scale = std::array<double, 3>{1, 1e-3, 1e-30}[random.next_below(3)];
  for (std::size_t i = 0; i < runs; ++i) {
    one.errors.push_back(random.next_below(9) == 0 ? 0 : scale * 1e-3 * (0.5 + random.next_uniform()));
  }
  // One element at the edge of what it may err by, or all of them at the edge of the norm, or far within.
  const std::size_t kind = random.next_below(4);
  const double distance = kDistances[random.next_below(kDistances.size())];
  const double edge = random.next_below(2) == 0 ? 1 - distance : 1 + distance;
  const std::size_t count = runs * one.run;
  const std::size_t special = random.next_below(count);
  const double of_norm = edge * kMost.norm / std::sqrt(static_cast<double>(one.run));
  for (std::size_t i = 0; i < count; ++i) {
    // Expected values follow from what was got, so that errors are what they are meant to be.
    one.got.push_back(static_cast<float>(scale * random.next_normal()));
    const double honest = one.errors[i / one.run];
    const double times = kind == 0 ? (i == special ? edge * kMost.element : 0) : kind == 1 ? of_norm : 0.01;
    one.expected.push_back(static_cast<double>(one.got.back()) + (random.next_below(2) == 0 ? times : -times) * honest);
  }
  if (kind == 3 && random.next_below(2) == 0) {
    one.got[special] = std::array<float, 3>{std::numeric_limits<float>::infinity(),
                                            std::numeric_limits<float>::quiet_NaN(), 1e30F}[random.next_below(3)];
  }
  return one;
}

TEST(DevicePrefillComparison, WhatIsSurelyRightIsRight) {
  std::size_t right = 0;
  std::size_t sure = 0;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const Case one = draw(index);
    const bool is_right = one.is_right();
    const bool is_sure = one.is_surely_right();
    ASSERT_TRUE(is_right || !is_sure) << "case " << index;
    right += is_right ? 1U : 0U;
    sure += is_sure ? 1U : 0U;
  }
  EXPECT_GT(right, kCases / 4);
  EXPECT_LT(right, kCases - kCases / 8);
  EXPECT_GT(sure, 3 * right / 4);
}

TEST(DevicePrefillComparison, WhereNoErrorIsHonestNoneIsAllowed) {
  cuda::ErrorSums sums;
  cuda::add_element(sums, 1.5, 1.5, 0, true, 6);
  EXPECT_TRUE(cuda::surely_within(sums, 4));
  cuda::add_element(sums, 1.5, std::nextafter(1.5, 2), 0, true, 6);
  EXPECT_FALSE(cuda::surely_within(sums, 4));
}

TEST(PrefillTolerance, IsThatOfTheOutputAndOfItsSize) {
  const Tolerance output = tolerance_of(kContestDimensions, kOutput);
  EXPECT_EQ(output.block, kContestDimensions.head_size);
  EXPECT_EQ(output.errors, kOutputError);
  EXPECT_LT(output.most.norm, tolerance_of(kSmallDimensions, kOutput).most.norm);
  const Tolerance state = tolerance_of(kContestDimensions, kNewState);
  EXPECT_EQ(state.block, kContestDimensions.state_size());
  EXPECT_EQ(state.errors, kStateError);
  EXPECT_LT(state.most.element, output.most.element);
}

TEST(PrefillDeviceCheck, IsOfThisOperatorAlone) {
  const auto other = cuda::make_prefill_check("gdn_decode_qk4_v8_d128_k_last");
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, nullptr);
}

class GpuGdnPrefillCheck : public cuda::DeviceCallTest {
 protected:
  static void write_right(OperatorTrial& trial, const std::vector<ExpectedValues>& expected) {
    for (std::size_t i = 0; i < kOutputCount; ++i) {
      tensor::write_rounded(trial.output(i), expected[i]);
    }
  }
};

TEST_F(GpuGdnPrefillCheck, IsSureOfWhatIsRightAndOfNothingElse) {
  for (const Operator* op : instances()) {
    const Parts parts = parts_of(*op);
    const auto generator = op->make_generator(5);
    for (std::uint64_t index = 0; index < kStressKinds.size(); ++index) {
      OperatorTrial trial = stress_trial(*op, *generator, 9, index, 3 << 20);
      const std::vector<ExpectedValues> expected = trial.reference();
      const cuda::DeviceCall call(*context_, *stream_, trial, *parts.reference, *parts.check);
      const std::string what = std::string(op->definition_name()) + ", " + std::string(kStressKinds[index].name);
      write_right(trial, expected);
      ASSERT_EQ(trial.judge(expected), "") << what;
      const auto verdict = call.judge(*kernels_);
      EXPECT_TRUE(verdict.surely_right) << what << ": " << verdict.doubt;
      base::Philox random(index, 2);
      std::size_t wrong = 0;
      for (std::size_t round = 0; round < 24; ++round) {
        write_right(trial, expected);
        const std::size_t output = round % kOutputCount;
        const std::span<std::byte> bytes = trial.output(output).bytes;
        if (bytes.empty()) {
          continue;
        }
        bytes[random.next_below(bytes.size())] ^= static_cast<std::byte>(1U << random.next_below(8));
        const bool is_right = trial.judge(expected).empty();
        wrong += is_right ? 0U : 1U;
        EXPECT_TRUE(is_right || !call.judge(*kernels_).surely_right) << what << ", round " << round;
      }
      EXPECT_GT(wrong, 0U) << what;
    }
  }
}

TEST_F(GpuGdnPrefillCheck, OneBlockOfManyIsNotHidden) {
  const Operator& op = contest_instance();
  const Parts parts = parts_of(op);
  OperatorTrial trial = usual_trial(op, make_workload({700, 0, 41}));
  const std::vector<ExpectedValues> expected = trial.reference();
  const cuda::DeviceCall call(*context_, *stream_, trial, *parts.reference, *parts.check);
  write_right(trial, expected);
  EXPECT_TRUE(call.judge(*kernels_).surely_right);
  // The last element of each output; and a state that has to be zeros.
  for (const Output output : {kOutput, kNewState}) {
    write_right(trial, expected);
    trial.output(output).bytes.back() ^= std::byte{0x40};
    const auto verdict = call.judge(*kernels_);
    EXPECT_FALSE(verdict.surely_right);
    EXPECT_NE(verdict.doubt.find(output == kOutput ? "1 blocks of output and 0" : "0 blocks of output and 1"),
              std::string::npos)
        << verdict.doubt;
  }
  write_right(trial, expected);
  trial.out<float>(kNewState)[8 * 128 * 128 + 17] = 1e-38F;
  EXPECT_FALSE(call.judge(*kernels_).surely_right);
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
