// The GPU's reference of the mixture of experts against the CPU's: both in float64 from exact factors, summing in other
// orders. Sums of up to 7168 products err by 1e-13 of what is summed at most; 1e-10 of a token's RMS leaves room for
// what cancels. The nominal choice is the same unless a sigmoid lies within 2^-53 of the middle of two float32 numbers.
#include <assay/operators/cuda/device_trial_for_test.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/trial_for_test.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr double kBound = 1e-10;

class GpuMoe : public cuda::DeviceReferenceTest {
 protected:
  void expect_same(const Dimensions& dimensions, OperatorTrial& trial, const std::string& what) {
    const auto reference = cuda::value_of(cuda::make_device_reference(dimensions.name));
    ASSERT_NE(reference, nullptr);
    const std::vector<ExpectedValues> expected = trial.reference();
    const std::vector<ExpectedValues> got = on_device(*reference, trial);
    ASSERT_EQ(got.size(), 2U);
    const std::vector<double> bounds = cuda::bounds_of_rms(expected[0], dimensions.hidden, kBound);
    EXPECT_EQ(cuda::first_difference(got[0], expected[0], bounds), "") << what;
    ASSERT_EQ(got[1].size(), trial.axis("seq_len")) << what;
    for (const AmbiguousToken& token : route(dimensions, trial.const_arguments()).ambiguous) {
      EXPECT_EQ(got[1][token.token], 1.0) << what << ", token " << token.token;
    }
  }
};

TEST_F(GpuMoe, AgreesOnEveryKindOfStressOfTheSmallSibling) {
  for (std::size_t kind = 0; kind < kStressKinds.size(); ++kind) {
    for (const std::int64_t tokens : {1, 2, 17, 64, 65, 257}) {
      OperatorTrial trial = make_stressed(static_cast<Kind>(kind), tokens, kind, tokens % 2 == 0 ? 4 : 12);
      expect_same(kSmall, trial, std::string(kStressKinds[kind].name) + ", tokens " + std::to_string(tokens));
    }
  }
}

TEST_F(GpuMoe, AgreesOnMoreTokensThanAreWorkedOnAtATime) {
  const task::Workload workload = make_workload(4096 + 33, "many");
  OperatorTrial trial(small(), workload);
  small().make_generator(3)->fill(workload, 1, trial.arguments());
  expect_same(kSmall, trial, "many tokens");
}

TEST_F(GpuMoe, AgreesOnTheContestsSizes) {
  const auto generator = contest().make_generator(4);
  for (const std::int64_t tokens : {1, 7, 32}) {
    const task::Workload workload = make_workload(tokens, "contest", 64);
    OperatorTrial trial(contest(), workload);
    generator->fill(workload, 2, trial.arguments());
    expect_same(kContest, trial, std::to_string(tokens));
  }
}

TEST_F(GpuMoe, AgreesOnAnOffsetThatIsNoExpertsAndAFactor) {
  for (const std::int64_t offset : {-2, 14, 400}) {
    const task::Workload workload = make_workload(9, "offset", offset, 0.75);
    OperatorTrial trial(small(), make_workload(9, "offset", 4, 0.75));
    small().make_generator(3)->fill(make_workload(9, "offset", 4, 0.75), 1, trial.arguments());
    trial.arguments()[kLocalExpertOffset] = Scalar(offset);
    expect_same(kSmall, trial, std::to_string(offset));
  }
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
