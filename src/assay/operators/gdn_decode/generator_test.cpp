#include <assay/operators/gdn_decode/generator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <assay/operators/gdn_decode/trial_for_test.hpp>

namespace assay::operators::gdn_decode {
namespace {

using Bytes = std::vector<std::vector<std::byte>>;

Bytes bytes_of(Trial& trial) {
  Bytes result;
  for (std::size_t i = 0; i < kScale; ++i) {
    const auto& bytes = trial.input(i).bytes;
    result.emplace_back(bytes.begin(), bytes.end());
  }
  return result;
}

Bytes generate(std::uint64_t seed, const std::string& uuid, std::uint64_t call, std::int64_t batch_size = 2) {
  Trial trial(batch_size);
  instance().make_generator(seed)->fill(make_workload(batch_size, uuid), call, trial.arguments());
  return bytes_of(trial);
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments result;
  for (const double value : values) {
    result.mean += value / static_cast<double>(values.size());
  }
  for (const double value : values) {
    result.deviation += (value - result.mean) * (value - result.mean) / static_cast<double>(values.size());
  }
  result.deviation = std::sqrt(result.deviation);
  return result;
}

std::vector<double> floats(std::span<const float> values) { return {values.begin(), values.end()}; }

std::vector<double> brains(std::span<const std::uint16_t> values) {
  std::vector<double> result;
  for (const std::uint16_t bits : values) {
    result.push_back(static_cast<double>(tensor::from_bfloat16(bits)));
  }
  return result;
}

TEST(GdnDecodeGenerator, TheSameSeedWorkloadAndCallGiveTheSameBytes) {
  EXPECT_EQ(generate(1, "u", 5), generate(1, "u", 5));
}

TEST(GdnDecodeGenerator, ACallDoesNotDependOnTheCallsBeforeIt) {
  Trial trial(2);
  const auto generator = instance().make_generator(1);
  for (const std::uint64_t call : {9U, 2U, 5U}) {
    generator->fill(make_workload(2, "u"), call, trial.arguments());
  }
  EXPECT_EQ(bytes_of(trial), generate(1, "u", 5));
}

TEST(GdnDecodeGenerator, AnotherSeedWorkloadOrCallGivesOtherBytesInEveryTensor) {
  const Bytes first = generate(1, "u", 5);
  for (const Bytes& other : {generate(2, "u", 5), generate(1, "w", 5), generate(1, "u", 6)}) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_NE(first[i], other[i]) << i;
    }
  }
}

TEST(GdnDecodeGenerator, EveryStateOfAnotherCallIsOther) {
  const Bytes first = generate(1, "u", 0, 4);
  const Bytes second = generate(1, "u", 1, 4);
  constexpr std::size_t kHeadBytes = kStateSize * sizeof(float);
  for (std::size_t at = 0; at < first[kState].size(); at += kHeadBytes) {
    EXPECT_FALSE(std::equal(first[kState].begin() + static_cast<std::ptrdiff_t>(at),
                            first[kState].begin() + static_cast<std::ptrdiff_t>(at + kHeadBytes),
                            second[kState].begin() + static_cast<std::ptrdiff_t>(at)));
  }
}

TEST(GdnDecodeGenerator, EveryByteIsWritten) {
  // A value that survives two fills over opposite backgrounds was not written.
  Trial ones(3);
  Trial zeros(3);
  for (std::size_t i = 0; i < kScale; ++i) {
    std::fill(ones.input(i).bytes.begin(), ones.input(i).bytes.end(), std::byte{0xff});
  }
  const auto generator = instance().make_generator(4);
  generator->fill(make_workload(3, "u"), 1, ones.arguments());
  generator->fill(make_workload(3, "u"), 1, zeros.arguments());
  EXPECT_EQ(bytes_of(ones), bytes_of(zeros));
}

TEST(GdnDecodeGenerator, QueriesAndKeysAreDirectionsThatAreNotOrthogonal) {
  Trial trial(16);
  const auto generator = instance().make_generator(6);
  for (std::uint64_t call = 0; call < 20; ++call) {
    generator->fill(make_workload(16, "u"), call, trial.arguments());
    const auto q = brains(trial.bfloat16(kQ));
    const auto k = brains(trial.bfloat16(kK));
    for (std::size_t head = 0; head < q.size() / kHeadSize; ++head) {
      double query_square = 0;
      double key_square = 0;
      double product = 0;
      for (std::size_t i = head * kHeadSize; i < (head + 1) * kHeadSize; ++i) {
        query_square += q[i] * q[i];
        key_square += k[i] * k[i];
        product += q[i] * k[i];
      }
      ASSERT_NEAR(query_square, 1, 4e-3);
      ASSERT_NEAR(key_square, 1, 4e-3);
      ASSERT_GE(std::fabs(product), 0x1p-10);
    }
  }
}

TEST(GdnDecodeGenerator, DistributionsAreWhatTheHeaderSays) {
  std::vector<double> decay;
  std::vector<double> step;
  std::vector<double> gates;
  std::vector<double> values;
  Trial trial(8);
  const auto generator = instance().make_generator(8);
  for (std::uint64_t call = 0; call < 200; ++call) {
    generator->fill(make_workload(8, "u"), call, trial.arguments());
    for (const double a_log : floats(trial.float32(kALog))) {
      decay.push_back(std::exp(a_log));
    }
    for (const double bias : floats(trial.float32(kDtBias))) {
      step.push_back(std::log(std::log1p(std::exp(bias))));
    }
    for (const Input input : {kA, kB}) {
      const auto some = brains(trial.bfloat16(input));
      gates.insert(gates.end(), some.begin(), some.end());
    }
    const auto some = brains(trial.bfloat16(kV));
    values.insert(values.end(), some.begin(), some.end());
  }
  EXPECT_GE(*std::min_element(decay.begin(), decay.end()), 0.999);
  EXPECT_LE(*std::max_element(decay.begin(), decay.end()), 16.001);
  EXPECT_NEAR(moments(decay).mean, 8.5, 0.5);
  EXPECT_NEAR(moments(decay).deviation, 15 / std::sqrt(12.0), 0.3);
  EXPECT_GE(*std::min_element(step.begin(), step.end()), std::log(1e-3) - 1e-3);
  EXPECT_LE(*std::max_element(step.begin(), step.end()), std::log(1e-1) + 1e-3);
  EXPECT_NEAR(moments(step).mean, std::log(1e-2), 0.15);
  EXPECT_NEAR(moments(step).deviation, std::log(100.0) / std::sqrt(12.0), 0.1);
  EXPECT_NEAR(moments(gates).mean, 0, 0.03);
  EXPECT_NEAR(moments(gates).deviation, 1, 0.03);
  EXPECT_NEAR(moments(values).mean, 0, 0.01);
  EXPECT_NEAR(moments(values).deviation, 1, 0.01);
}

enum class Kind : std::uint8_t { usual, zero_entry, sparse_entry, large };

Kind kind_of(Trial& trial) {
  const auto state = floats(trial.float32(kState));
  constexpr std::size_t kEntry = kValueHeads * kStateSize;
  for (std::size_t at = 0; at < state.size(); at += kEntry) {
    const auto begin = state.begin() + static_cast<std::ptrdiff_t>(at);
    const auto zeros = std::count(begin, begin + kEntry, 0.0);
    if (zeros == static_cast<std::ptrdiff_t>(kEntry)) {
      return Kind::zero_entry;
    }
    if (zeros == static_cast<std::ptrdiff_t>(kEntry - kValueHeads)) {
      return Kind::sparse_entry;
    }
  }
  const double deviation = moments(state).deviation;
  EXPECT_TRUE(std::fabs(deviation - 0.1) < 0.01 || std::fabs(deviation - 8) < 0.5) << deviation;
  return deviation > 1 ? Kind::large : Kind::usual;
}

TEST(GdnDecodeGenerator, OfEightCallsOneHasAZeroStateOneAnAlmostZeroStateAndOneLargeStates) {
  const auto generator = instance().make_generator(10);
  std::set<std::uint64_t> first_zero_calls;
  for (const char* uuid : {"a", "b", "c", "d", "e", "f"}) {
    for (const std::uint64_t from : {0U, 3U, 1000U}) {
      Trial trial(2);
      int zero = 0;
      int sparse = 0;
      int large = 0;
      for (std::uint64_t call = from; call < from + 8; ++call) {
        generator->fill(make_workload(2, uuid), call, trial.arguments());
        const Kind kind = kind_of(trial);
        if (kind == Kind::zero_entry && from == 0) {
          first_zero_calls.insert(call);
        }
        zero += kind == Kind::zero_entry ? 1 : 0;
        sparse += kind == Kind::sparse_entry ? 1 : 0;
        large += kind == Kind::large ? 1 : 0;
      }
      EXPECT_EQ(zero, 1) << uuid;
      EXPECT_EQ(sparse, 1) << uuid;
      EXPECT_EQ(large, 1) << uuid;
    }
  }
  EXPECT_GE(first_zero_calls.size(), 3U) << "workloads must not all see the zero state in the same call";
}

TEST(GdnDecodeGenerator, LargeStatesGiveOutputsOfOrderOne) {
  Trial trial(2);
  const auto generator = instance().make_generator(12);
  double largest = 0;
  double smallest = 1e300;
  for (std::uint64_t call = 0; call < 8; ++call) {
    generator->fill(make_workload(2, "u"), call, trial.arguments());
    const double deviation = moments(trial.reference()[kOutput]).deviation;
    largest = std::max(largest, deviation);
    smallest = std::min(smallest, deviation);
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(smallest, 0.05);
}

TEST(GdnDecodeGenerator, TheScaleIsTheWorkloads) {
  Trial trial(1);
  const auto generator = instance().make_generator(1);
  const auto scale_for = [&](task::Workload workload) {
    generator->fill(workload, 0, trial.arguments());
    return trial.scale();
  };
  EXPECT_EQ(scale_for(make_workload(1, "u", task::ScalarInput{0.25})), 0.25);
  EXPECT_EQ(scale_for(make_workload(1, "u", task::ScalarInput{std::int64_t{2}})), 2.0);
  EXPECT_EQ(scale_for(make_workload(1, "u", task::ScalarInput{0.0})),
            0.0);  // A candidate must know what it means.
  const auto usual = static_cast<double>(static_cast<float>(1 / std::sqrt(128.0)));
  EXPECT_EQ(scale_for(make_workload(1, "u", task::RandomInput{})), usual);
  EXPECT_EQ(scale_for(make_workload(1, "u")), usual);
  task::Workload without = make_workload(1, "u");
  without.inputs.clear();
  EXPECT_EQ(scale_for(without), usual);
}

TEST(GdnDecodeGenerator, APerturbationChangesOnePlaceAndShowsInTheOutputs) {
  Trial trial(3);
  const auto generator = instance().make_generator(5);
  std::set<std::size_t> touched;
  int shown = 0;
  constexpr int kCalls = 96;
  for (std::uint64_t call = 0; call < kCalls; ++call) {
    generator->fill(make_workload(3, "u"), call, trial.arguments());
    const Bytes before = bytes_of(trial);
    const double scale = trial.scale();
    const auto unperturbed = trial.reference();
    generator->perturb(call, call / 6, trial.arguments());
    const Bytes after = bytes_of(trial);
    int changed = trial.scale() != scale ? 1 : 0;
    if (changed == 1) {
      touched.insert(kScale);
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t element = i == kState || i == kALog || i == kDtBias ? 4 : 2;
      for (std::size_t at = 0; at < before[i].size(); at += element) {
        if (std::memcmp(before[i].data() + at, after[i].data() + at, element) != 0) {
          ++changed;
          touched.insert(i);
        }
      }
    }
    EXPECT_EQ(changed, 1) << call;
    // What a candidate would leave that gave the outputs of the unperturbed call.
    const auto expected = trial.reference();
    std::vector<std::uint16_t> stale;
    for (const double value : unperturbed[kOutput]) {
      stale.push_back(tensor::to_bfloat16(static_cast<float>(value)));
    }
    std::copy(stale.begin(), stale.end(), trial.result().begin());
    std::transform(unperturbed[kNewState].begin(), unperturbed[kNewState].end(), trial.new_state().begin(),
                   [](double value) { return static_cast<float>(value); });
    shown += trial.judge(expected).empty() ? 0 : 1;
  }
  EXPECT_EQ(touched.size(), kInputCount) << "every input";
  EXPECT_GE(shown, kCalls * 9 / 10) << "a state that decays to nothing hides its element";
}

TEST(GdnDecodeGenerator, AGateIsPerturbedEvenWhereNoStateHoldsAnything) {
  Trial trial(2);
  const auto generator = instance().make_generator(5);
  int gates = 0;
  for (std::uint64_t which = 0; which < generator->perturbation_period(); ++which) {
    generator->fill(make_workload(2, "u"), 1, trial.arguments());
    std::ranges::fill(trial.input(kState).bytes, std::byte{0});
    const Bytes before = bytes_of(trial);
    const double scale = trial.scale();
    generator->perturb(which, 1, trial.arguments());
    const Bytes after = bytes_of(trial);
    EXPECT_TRUE(before != after || trial.scale() != scale) << which;
    for (const Input gate : {kALog, kA, kDtBias, kB}) {
      gates += before[gate] != after[gate] ? 1 : 0;
    }
  }
  EXPECT_EQ(gates, 4) << "one of every six";
}

TEST(GdnDecodeGeneratorDeathTest, ArgumentsOfAnotherShapeAreBugs) {
  Trial trial(1);
  const auto generator = instance().make_generator(1);
  std::vector<Argument> few(trial.arguments().begin(), trial.arguments().end() - 1);
  EXPECT_DEATH(generator->fill(make_workload(1, "u"), 0, few), "arguments.size");
  trial.input(kALog).bytes = trial.input(kALog).bytes.first(8);
  EXPECT_DEATH(generator->fill(make_workload(1, "u"), 0, trial.arguments()), "bytes.size");
}

}  // namespace
}  // namespace assay::operators::gdn_decode
