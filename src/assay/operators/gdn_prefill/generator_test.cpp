#include <assay/operators/gdn_prefill/generator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <assay/operators/gdn_prefill/lengths.hpp>
#include <assay/operators/gdn_prefill/workload_for_test.hpp>

namespace assay::operators::gdn_prefill {
namespace {

using Bytes = std::vector<std::vector<std::byte>>;

Bytes bytes_of(OperatorTrial& trial) {
  Bytes result;
  for (std::size_t i = 0; i < kScale; ++i) {
    const auto& bytes = trial.input(i).bytes;
    result.emplace_back(bytes.begin(), bytes.end());
  }
  return result;
}

const std::vector<std::int64_t> kLengths = {70, 0, 1, 130};

Bytes generate(std::uint64_t seed, const std::string& uuid, std::uint64_t call) {
  OperatorTrial trial(small_instance(), make_workload(kLengths, uuid));
  small_instance().make_generator(seed)->fill(make_workload(kLengths, uuid), call, trial.arguments());
  return bytes_of(trial);
}

std::vector<double> numbers(std::span<const std::uint16_t> values) {
  std::vector<double> result;
  for (const std::uint16_t bits : values) {
    result.push_back(static_cast<double>(tensor::from_bfloat16(bits)));
  }
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) {
    sum += (value - middle) * (value - middle);
  }
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(GdnPrefillGenerator, TheSameSeedWorkloadAndCallGiveTheSameBytes) {
  EXPECT_EQ(generate(1, "u", 5), generate(1, "u", 5));
}

TEST(GdnPrefillGenerator, AnotherSeedWorkloadOrCallGivesOtherContentsAndTheSameLengths) {
  const Bytes first = generate(1, "u", 5);
  for (const Bytes& other : {generate(2, "u", 5), generate(1, "w", 5), generate(1, "u", 6)}) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (i == kCuSeqlens) {
        EXPECT_EQ(first[i], other[i]);
      } else {
        EXPECT_NE(first[i], other[i]) << i;
      }
    }
  }
}

TEST(GdnPrefillGenerator, EveryByteIsWritten) {
  OperatorTrial ones(small_instance(), make_workload(kLengths));
  OperatorTrial zeros(small_instance(), make_workload(kLengths));
  for (std::size_t i = 0; i < kScale; ++i) {
    std::ranges::fill(ones.input(i).bytes, std::byte{0xff});
  }
  const auto generator = small_instance().make_generator(4);
  generator->fill(make_workload(kLengths), 1, ones.arguments());
  generator->fill(make_workload(kLengths), 1, zeros.arguments());
  EXPECT_EQ(bytes_of(ones), bytes_of(zeros));
}

TEST(GdnPrefillGenerator, CuSeqlensAreTheWorkloadsLengths) {
  auto trial = usual_trial(small_instance(), make_workload(kLengths));
  EXPECT_THAT(trial.in<std::int64_t>(kCuSeqlens), testing::ElementsAre(0, 70, 70, 71, 201));
  task::Workload workload = make_workload(kLengths);
  workload.lengths.clear();
  auto derived = usual_trial(small_instance(), workload);
  EXPECT_THAT(derived.in<std::int64_t>(kCuSeqlens), testing::ElementsAreArray(cumulative(sequence_lengths(workload))));
}

TEST(GdnPrefillGenerator, DistributionsAreWhatTheHeaderSays) {
  std::vector<double> decay;
  std::vector<double> step;
  OperatorTrial trial(contest_instance(), make_workload({256}));
  const auto generator = contest_instance().make_generator(8);
  for (std::uint64_t call = 0; call < 60; ++call) {
    generator->fill(make_workload({256}), call, trial.arguments());
    for (const float value : trial.in<float>(kALog)) {
      decay.push_back(std::exp(static_cast<double>(value)));
    }
    for (const float value : trial.in<float>(kDtBias)) {
      step.push_back(std::log(std::log1p(std::exp(static_cast<double>(value)))));
    }
  }
  EXPECT_GE(*std::ranges::min_element(decay), 0.999);
  EXPECT_LE(*std::ranges::max_element(decay), 16.001);
  EXPECT_NEAR(mean(decay), 8.5, 0.7);
  EXPECT_NEAR(mean(step), std::log(1e-2), 0.2);
  EXPECT_NEAR(deviation(numbers(trial.in<std::uint16_t>(kV))), 1, 0.02);
  EXPECT_NEAR(deviation(numbers(trial.in<std::uint16_t>(kA))), 1, 0.06);
  EXPECT_NEAR(mean(numbers(trial.in<std::uint16_t>(kB))), 0, 0.1);
  for (const Input input : {kQ, kK}) {
    const auto values = numbers(trial.in<std::uint16_t>(input));
    for (std::size_t at = 0; at < values.size(); at += 128) {
      double square = 0;
      for (std::size_t i = at; i < at + 128; ++i) {
        square += values[i] * values[i];
      }
      ASSERT_NEAR(square, 1, 4e-3);
    }
  }
}

/// Zero elements of each sequence's state, and its deviation.
TEST(GdnPrefillGenerator, OfEightCallsOneHasAZeroStateOneAnAlmostZeroStateAndOneLargeStates) {
  const auto generator = small_instance().make_generator(10);
  constexpr std::size_t kSequence = 4 * 256;
  for (const char* uuid : {"a", "b", "c"}) {
    int zero = 0;
    int sparse = 0;
    int large = 0;
    OperatorTrial trial(small_instance(), make_workload({3, 3}, uuid));
    for (std::uint64_t call = 7; call < 15; ++call) {
      generator->fill(make_workload({3, 3}, uuid), call, trial.arguments());
      const auto state = trial.in<float>(kState);
      for (std::size_t at = 0; at < state.size(); at += kSequence) {
        const auto zeros = std::ranges::count(state.subspan(at, kSequence), 0.0F);
        zero += zeros == kSequence ? 1 : 0;
        sparse += zeros == kSequence - 4 ? 1 : 0;
      }
      large += deviation({state.begin(), state.end()}) > 5 ? 1 : 0;
    }
    EXPECT_EQ(zero, 1) << uuid;
    EXPECT_EQ(sparse, 1) << uuid;
    EXPECT_EQ(large, 1) << uuid;
  }
}

TEST(GdnPrefillGenerator, TheScaleIsTheWorkloads) {
  const auto scale_for = [](task::InputSpec scale) {
    return usual_trial(small_instance(), make_workload({2}, "u", std::move(scale))).scalar(kScale);
  };
  EXPECT_EQ(scale_for(task::ScalarInput{0.5}), 0.5);
  EXPECT_EQ(scale_for(task::ScalarInput{0.0}), 0.0);
  EXPECT_EQ(scale_for(task::RandomInput{}), 0.25);
}

TEST(GdnPrefillGenerator, APerturbationChangesOnePlaceAndShowsInTheOutputs) {
  const task::Workload workload = make_workload({70, 0, 3});
  OperatorTrial trial(small_instance(), workload);
  const auto generator = small_instance().make_generator(5);
  std::set<std::size_t> touched;
  int shown = 0;
  constexpr int kCalls = 120;
  for (std::uint64_t call = 0; call < kCalls; ++call) {
    generator->fill(workload, call, trial.arguments());
    const Bytes before = bytes_of(trial);
    const double scale = trial.scalar(kScale);
    // What a candidate would leave that gave the outputs of the unperturbed call.
    const auto unperturbed = trial.reference();
    std::ranges::transform(unperturbed[kOutput], trial.out<std::uint16_t>(kOutput).begin(),
                           [](double value) { return tensor::to_bfloat16(static_cast<float>(value)); });
    std::ranges::transform(unperturbed[kNewState], trial.out<float>(kNewState).begin(),
                           [](double value) { return static_cast<float>(value); });
    ASSERT_EQ(trial.judge(unperturbed), "");
    generator->perturb(call, call / 6, trial.arguments());
    const Bytes after = bytes_of(trial);
    int changed = trial.scalar(kScale) != scale ? 1 : 0;
    if (changed == 1) {
      touched.insert(kScale);
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t element = i == kCuSeqlens ? 8 : i == kState || i == kALog || i == kDtBias ? 4 : 2;
      for (std::size_t at = 0; at < before[i].size(); at += element) {
        if (std::memcmp(before[i].data() + at, after[i].data() + at, element) != 0) {
          ++changed;
          touched.insert(i);
        }
      }
    }
    EXPECT_EQ(changed, 1) << call;
    shown += trial.judge(trial.reference()).empty() ? 0 : 1;
  }
  EXPECT_EQ(touched.size(), kInputCount) << "every input";
  EXPECT_GE(shown, kCalls * 9 / 10) << "a state that decays to nothing hides its element";
}

TEST(GdnPrefillGenerator, AGateIsPerturbedEvenWhereEverySequenceIsOneToken) {
  const task::Workload workload = make_workload({1, 1, 1});
  OperatorTrial trial(small_instance(), workload);
  const auto generator = small_instance().make_generator(5);
  int gates = 0;
  for (std::uint64_t which = 0; which < generator->perturbation_period(); ++which) {
    generator->fill(workload, 1, trial.arguments());
    const Bytes before = bytes_of(trial);
    generator->perturb(which, 1, trial.arguments());
    const Bytes after = bytes_of(trial);
    for (const Input gate : {kALog, kA, kDtBias, kB}) {
      gates += before[gate] != after[gate] ? 1 : 0;
    }
  }
  EXPECT_GE(gates, 4) << "one of each turn";
}

TEST(GdnPrefillGeneratorDeathTest, ArgumentsOfAnotherShapeAreBugs) {
  OperatorTrial trial(small_instance(), make_workload({4}));
  const auto generator = small_instance().make_generator(1);
  EXPECT_DEATH(generator->fill(make_workload({5}), 0, trial.arguments()), "q.size");
  EXPECT_DEATH(generator->fill(make_workload({2, 2}), 0, trial.arguments()), "state.size");
  EXPECT_DEATH(generator->fill_stress(kStressKinds.size(), make_workload({4}), 0, trial.arguments()), "kStressKinds");
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
