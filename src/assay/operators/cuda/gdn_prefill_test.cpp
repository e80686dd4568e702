// The GPU's reference of a prefill against the CPU's: both in float64, summing in different orders. The recurrence carries
// differences along, in proportion to what was summed, as the kept errors of an honest kernel are: those are 2^-9 of it,
// and 2^-53 of it is 6e-14 of them. 1e-8 leaves room for thousands of tokens.
#include <assay/operators/cuda/device_trial_for_test.hpp>
#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/gdn_prefill/stress.hpp>
#include <assay/operators/gdn_prefill/workload_for_test.hpp>

namespace assay::operators::gdn_prefill {
namespace {

constexpr double kBound = 1e-8;

std::vector<double> times(std::span<const double> values, double factor) {
  std::vector<double> result;
  for (const double value : values) {
    result.push_back(factor * value + 1e-300);
  }
  return result;
}

class GpuGdnPrefill : public cuda::DeviceReferenceTest {
 protected:
  void expect_same(const Operator& op, OperatorTrial& trial, const std::string& what) {
    const auto reference = cuda::value_of(cuda::make_device_reference(op.definition_name()));
    ASSERT_NE(reference, nullptr);
    const std::vector<ExpectedValues> expected = trial.reference();
    const std::vector<ExpectedValues> got = on_device(*reference, trial);
    ASSERT_EQ(got.size(), expected.size());
    const auto same = [&](std::size_t i, const std::vector<double>& bounds) {
      ASSERT_EQ(expected[i].empty(), got[i].empty()) << what;
      if (!expected[i].empty()) {
        EXPECT_EQ(cuda::first_difference(got[i], expected[i], bounds), "") << what << ", array " << i;
      }
    };
    same(kOutput, times(expected[kOutputError], kBound));
    same(kNewState, times(expected[kStateError], kBound));
    same(kOutputError, times(expected[kOutputError], kBound));
    same(kStateError, times(expected[kStateError], kBound));
  }
};

TEST_F(GpuGdnPrefill, AgreesOnEveryKindOfStressOfTheSmallSibling) {
  const auto generator = small_instance().make_generator(5);
  for (std::uint64_t index = 0; index < 4 * kStressKinds.size(); ++index) {
    OperatorTrial trial = stress_trial(small_instance(), *generator, 9, index, 300'000);
    expect_same(small_instance(), trial, std::string(kStressKinds[index % kStressKinds.size()].name));
  }
}

TEST_F(GpuGdnPrefill, AgreesOnEveryKindOfStressOfTheContestsSizes) {
  const auto generator = contest_instance().make_generator(5);
  for (std::uint64_t index = 0; index < kStressKinds.size(); ++index) {
    OperatorTrial trial = stress_trial(contest_instance(), *generator, 10, index, 8 << 20);
    expect_same(contest_instance(), trial, std::string(kStressKinds[index].name));
  }
}

TEST_F(GpuGdnPrefill, AgreesOnLengthsAroundWhatAStepTakes) {
  for (const std::vector<std::int64_t>& lengths :
       std::vector<std::vector<std::int64_t>>{{1}, {6}, {15, 16, 17}, {0, 64, 0, 65, 63, 0}, {0}, {1000}}) {
    for (const Operator* op : instances()) {
      OperatorTrial trial = usual_trial(*op, make_workload(lengths));
      expect_same(*op, trial, std::to_string(lengths.back()));
    }
  }
}

TEST_F(GpuGdnPrefill, AScaleOfZeroIsTheUsualOne) {
  OperatorTrial trial = usual_trial(small_instance(), make_workload({5, 20}));
  trial.arguments()[kScale] = Scalar(0.0);
  expect_same(small_instance(), trial, "scale 0");
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
