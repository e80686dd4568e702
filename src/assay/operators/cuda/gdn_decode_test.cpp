// The GPU's reference of a decode step against the CPU's. Both sum 128 products in float64, in different orders: they
// differ by a few times 2^-53 of what is summed, which may cancel down to the result. 1e-10 of a row's RMS is far above
// the first and far below any rule of comparison (1e-5).
#include <assay/operators/cuda/device_trial_for_test.hpp>
#include <assay/operators/cuda/makers.hpp>
#include <assay/operators/gdn_decode/stress.hpp>
#include <assay/operators/gdn_decode/trial_for_test.hpp>

namespace assay::operators::gdn_decode {
namespace {

constexpr double kBound = 1e-10;

class GpuGdnDecode : public cuda::DeviceReferenceTest {
 protected:
  void SetUp() override {
    DeviceReferenceTest::SetUp();
    if (!IsSkipped()) {
      reference_ = cuda::value_of(cuda::make_device_reference(instance().definition_name()));
      ASSERT_NE(reference_, nullptr);
    }
  }
  void expect_same(OperatorTrial& trial, const std::string& what) {
    const std::vector<ExpectedValues> expected = trial.OperatorTrial::reference();
    const std::vector<ExpectedValues> got = on_device(*reference_, trial);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Of a head: a row of zeros among others may be what is left of a sum that cancels.
      const std::size_t run = i == kOutput ? kHeadSize : kStateSize;
      EXPECT_EQ(cuda::first_difference(got[i], expected[i], cuda::bounds_of_rms(expected[i], run, kBound)), "")
          << what << ", output " << i;
    }
  }
  std::unique_ptr<cuda::DeviceReference> reference_;
};

TEST_F(GpuGdnDecode, AgreesOnEveryKindOfStress) {
  const auto generator = instance().make_generator(5);
  for (std::size_t kind = 0; kind < kStressKinds.size(); ++kind) {
    for (const std::int64_t batch : {1, 2, 5}) {
      OperatorTrial trial(instance(), make_workload(batch, "stressed"));
      generator->fill_stress(kind, make_workload(batch, "stressed"), kind, trial.arguments());
      expect_same(trial, std::string(kStressKinds[kind].name));
    }
  }
}

TEST_F(GpuGdnDecode, AgreesOnUsualContentsOfTheDatasetsSizes) {
  const auto generator = instance().make_generator(6);
  for (const std::int64_t batch : {1, 4, 8, 16, 48, 64}) {
    OperatorTrial trial(instance(), make_workload(batch, "usual"));
    generator->fill(make_workload(batch, "usual"), 3, trial.arguments());
    expect_same(trial, std::to_string(batch));
  }
}

TEST_F(GpuGdnDecode, AScaleOfZeroIsTheUsualOneAndAnotherOneCounts) {
  Trial trial(1);
  instance().make_generator(7)->fill(make_workload(1, "scaled"), 0, trial.arguments());
  for (const double scale : {0.0, 0.25, -3.0}) {
    trial.set_scale(scale);
    expect_same(trial, std::to_string(scale));
  }
}

TEST_F(GpuGdnDecode, RefusesArgumentsThatDoNotFit) {
  const std::vector<cuda::DeviceArgument> none;
  EXPECT_FALSE(reference_->enqueue({{"batch_size", 1}}, none, {}, 0, *stream_));
  std::vector<cuda::DeviceArgument> scalars(kInputCount, Scalar(1.0));
  const std::vector<device::cuda::DevicePointer> expected = {256, 256};
  const auto refused = reference_->enqueue({{"batch_size", 1}}, scalars, expected, 0, *stream_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::internal);
}

}  // namespace
}  // namespace assay::operators::gdn_decode
