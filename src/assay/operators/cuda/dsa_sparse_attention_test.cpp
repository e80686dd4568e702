// The GPU's reference of sparse attention against the CPU's, and the check by rule on the device against
// Operator::compare. Both references sum up to 2048 terms in float64 in different orders: they differ by about 1e-13 of
// the row and head's RMS where the terms cancel as the stress kinds let them, and lse by its last bits. The tolerances of
// the operator are 2^-7 and 4e-6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>

#include <assay/operators/cuda/device_call_for_test.hpp>
#include <assay/operators/cuda/makers.hpp>
#include <assay/operators/dsa_sparse_attention/float32_for_test.hpp>
#include <assay/operators/dsa_sparse_attention/stress.hpp>
#include <assay/tensor/rounding.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

constexpr double kOutputBound = 1e-10;  // Of the RMS of a row's head.
constexpr double kLseBound = 1e-12;     // Of its magnitude, or of 1.

TEST(DsaSparseAttentionDeviceReference, IsOfThisOperatorAlone) {
  const auto other = cuda::make_dsa_sparse_attention("gdn_decode_qk4_v8_d128_k_last");
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, nullptr);
}

TEST(DsaSparseAttentionDeviceReference, WithoutADeviceItIsAnEnvironmentError) {
  if (device::cuda::has_device()) {
    GTEST_SKIP() << "this machine has a CUDA device";
  }
  for (const Operator* op : instances()) {
    const auto made = cuda::make_dsa_sparse_attention(op->definition_name());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().owner, base::Owner::environment);
  }
}

class GpuDsaSparseAttention : public cuda::DeviceCallTest {
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

  static void expect_agreement(const Dimensions& dimensions, const cuda::DeviceCall& on_device,
                               const std::vector<ExpectedValues>& expected, const std::string& what) {
    const std::vector<double> output = on_device.expected(kOutput);
    EXPECT_EQ(cuda::first_difference(output, expected[kOutput],
                                     cuda::bounds_of_rms(expected[kOutput], dimensions.ckv, kOutputBound)),
              "")
        << what;
    const std::vector<double> lse = on_device.expected(kLse);
    ASSERT_EQ(lse.size(), expected[kLse].size());
    for (std::size_t i = 0; i < lse.size(); ++i) {
      if (std::isinf(expected[kLse][i])) {
        ASSERT_EQ(lse[i], expected[kLse][i]) << what << " " << i;
      } else {
        ASSERT_NEAR(lse[i], expected[kLse][i], kLseBound * std::max(1.0, std::fabs(expected[kLse][i]))) << what << i;
      }
    }
  }

  static void write_right(OperatorTrial& trial, const std::vector<ExpectedValues>& expected) {
    for (const std::size_t i : {kOutput, kLse}) {
      tensor::write_rounded(trial.output(i), expected[i]);
    }
  }

  std::map<const Operator*, Parts> parts_;
};

TEST_F(GpuDsaSparseAttention, AgreesOnEveryKindOfStress) {
  const auto generator = small_instance().make_generator(31);
  std::size_t wrong = 0;
  for (std::uint64_t index = 0; index < 120; ++index) {
    const StressTrial stress = small_instance().stress_trial(31, index, std::uint64_t{2} << 20U);
    OperatorTrial trial(small_instance(), stress.workload);
    generator->fill_stress(stress.kind, stress.workload, index, trial.arguments());
    const std::string what = std::string(kStressKinds[stress.kind].name) + " " + std::to_string(index);
    const auto expected = trial.reference();
    const cuda::DeviceCall on_device = upload(small_instance(), trial);
    expect_agreement(kSmall, on_device, expected, what);
    write_right(trial, expected);
    ASSERT_EQ(trial.judge(expected), "") << what;
    EXPECT_TRUE(on_device.judge(*kernels_).surely_right) << what << ": " << on_device.judge(*kernels_).doubt;
    // One element, one head and one lse wrong by ever more: in doubt wherever the CPU finds it.
    base::Philox random(32, index);
    for (const double factor : {1.001, 1.004, 1.01, 1.05, 2.0, -1.0}) {
      for (const std::size_t output : {kOutput, kLse}) {
        auto spoiled = expected;
        const std::size_t run = output == kOutput && factor < 1.02 ? kSmall.ckv : 1;
        const std::size_t first = random.next_below(spoiled[output].size() / run) * run;
        for (std::size_t i = first; i < first + run; ++i) {
          spoiled[output][i] *= factor;
        }
        write_right(trial, spoiled);
        const bool is_right = trial.judge(expected).empty();
        const cuda::DeviceVerdict verdict = on_device.judge(*kernels_);
        ASSERT_TRUE(is_right || !verdict.surely_right) << what << ", output " << output << " times " << factor;
        wrong += is_right ? 0U : 1U;
      }
    }
    trial.poison();
    EXPECT_FALSE(on_device.judge(*kernels_).surely_right) << what;
  }
  EXPECT_GT(wrong, 300U);
}

TEST_F(GpuDsaSparseAttention, AgreesAtTheContestsSizes) {
  const auto generator = contest_instance().make_generator(33);
  for (const std::int64_t rows : {1, 2, 8}) {
    const task::Workload workload = make_workload(kContest, rows, 700, "contest" + std::to_string(rows));
    OperatorTrial trial(contest_instance(), workload);
    generator->fill(workload, 1, trial.arguments());
    const auto expected = trial.reference();
    const cuda::DeviceCall on_device = upload(contest_instance(), trial);
    expect_agreement(kContest, on_device, expected, workload.uuid);
    write_right(trial, expected);
    EXPECT_TRUE(on_device.judge(*kernels_).surely_right);
  }
}

TEST_F(GpuDsaSparseAttention, StressAtTheContestsSizesAgreesToo) {
  const auto generator = contest_instance().make_generator(34);
  for (std::uint64_t index = 0; index < kStressKinds.size(); ++index) {
    const StressTrial stress = contest_instance().stress_trial(34, index, std::uint64_t{8} << 20U);
    OperatorTrial trial(contest_instance(), stress.workload);
    generator->fill_stress(stress.kind, stress.workload, index, trial.arguments());
    const auto expected = trial.reference();
    const cuda::DeviceCall on_device = upload(contest_instance(), trial);
    expect_agreement(kContest, on_device, expected, std::string(kStressKinds[stress.kind].name));
    write_right(trial, expected);
    EXPECT_TRUE(on_device.judge(*kernels_).surely_right) << kStressKinds[stress.kind].name;
  }
}

TEST_F(GpuDsaSparseAttention, AnIndexThatIsNoTokenMakesItsRowNaN) {
  const task::Workload workload = make_workload(kSmall, 3, 10, "index");
  for (const std::int32_t bad : {-2, 160, 1 << 30}) {
    OperatorTrial trial(small_instance(), workload);
    small_instance().make_generator(35)->fill(workload, 0, trial.arguments());
    trial.in<std::int32_t>(kSparseIndices)[kSmall.topk + 5] = bad;
    const cuda::DeviceCall on_device = upload(small_instance(), trial);
    const std::vector<double> output = on_device.expected(kOutput);
    const std::size_t row = kSmall.heads * kSmall.ckv;
    for (std::size_t i = 0; i < output.size(); ++i) {
      EXPECT_EQ(std::isnan(output[i]), i / row == 1) << i;
    }
    EXPECT_TRUE(std::isnan(on_device.expected(kLse)[kSmall.heads]));
  }
}

}  // namespace
}  // namespace assay::operators::dsa_sparse_attention
