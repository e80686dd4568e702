// The kinds of stress: each is what it says, no planted mistake gets past ten trials, and honest float32 passes 2,000.
#include <assay/operators/gdn_decode/stress.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include <assay/operators/gdn_decode/float32_for_test.hpp>

namespace assay::operators::gdn_decode {
namespace {

constexpr std::uint64_t kBytesAnEntry = 2 * kValueHeads * kStateSize * sizeof(float);
const Style kCheapStyle{16, false, true, Style::Gate::log1p};

std::size_t kind_named(std::string_view name) {
  const auto found =
      std::find_if(kStressKinds.begin(), kStressKinds.end(), [&](const StressKind& kind) { return kind.name == name; });
  EXPECT_NE(found, kStressKinds.end()) << name;
  return static_cast<std::size_t>(found - kStressKinds.begin());
}

std::int64_t batch_size_of(const StressTrial& trial) { return trial.workload.axes.at(0).second; }

/// Two batch entries with the contents of a kind.
struct Filled {
  Filled(std::string_view kind, std::uint64_t call) : trial(2) {
    instance().make_generator(21)->fill_stress(kind_named(kind), make_workload(2, "kinds"), call, trial.arguments());
  }
  Trial trial;

  [[nodiscard]] double softplus_of(std::size_t batch_head) {
    const double x = static_cast<double>(tensor::from_bfloat16(trial.bfloat16(kA)[batch_head])) +
                     static_cast<double>(trial.float32(kDtBias)[batch_head % kValueHeads]);
    return std::log1p(std::exp(x));
  }
  [[nodiscard]] double gate(std::size_t batch_head) {
    const double rate = std::exp(static_cast<double>(trial.float32(kALog)[batch_head % kValueHeads]));
    return std::exp(-rate * softplus_of(batch_head));
  }
  [[nodiscard]] double beta(std::size_t batch_head) {
    return 1 / (1 + std::exp(-static_cast<double>(tensor::from_bfloat16(trial.bfloat16(kB)[batch_head]))));
  }
  /// Largest element of the state of a batch entry.
  [[nodiscard]] double largest_of_state(std::size_t entry) {
    double largest = 0;
    for (const float value :
         trial.float32(kState).subspan(entry * kValueHeads * kStateSize, kValueHeads * kStateSize)) {
      largest = std::max(largest, std::fabs(static_cast<double>(value)));
    }
    return largest;
  }
};

template <class Count>
std::ptrdiff_t count_denormals(const Count& values) {
  return std::count_if(values.begin(), values.end(), [](auto value) { return std::fpclassify(value) == FP_SUBNORMAL; });
}

TEST(GdnDecodeStress, TheFirstThreeKindsAreThoseOfUsualCalls) {
  EXPECT_EQ(kStressKinds[0].name, "zero_state");
  EXPECT_EQ(kStressKinds[1].name, "sparse_state");
  EXPECT_EQ(kStressKinds[2].name, "large_state");
  std::set<std::string_view> names;
  for (const StressKind& kind : instance().stress_kinds()) {
    names.insert(kind.name);
  }
  EXPECT_EQ(names.size(), kStressKinds.size());
}

TEST(GdnDecodeStress, GatesAndBetasGoToTheirEnds) {
  for (std::uint64_t call = 0; call < 4; ++call) {
    Filled forgetting("forgetting", call);
    Filled remembering("remembering", call);
    Filled extreme("extreme_beta", call);
    int written = 0;
    for (std::size_t head = 0; head < forgetting.trial.heads(); ++head) {
      EXPECT_LT(forgetting.gate(head), 0.06);
      EXPECT_GT(remembering.gate(head), 0.98);
      EXPECT_LT(remembering.gate(head), 1.0);
      EXPECT_LT(std::min(extreme.beta(head), 1 - extreme.beta(head)), 0.0025);
      written += extreme.beta(head) > 0.5 ? 1 : 0;
    }
    EXPECT_GT(written, 0);
    EXPECT_LT(written, 16);
  }
}

TEST(GdnDecodeStress, AChainLeavesALowRankStateOfTheSizeOfItsValues) {
  Filled filled("long_chain", 0);
  for (std::size_t head = 0; head < filled.trial.heads(); ++head) {
    double square = 0;
    for (const float value : filled.trial.float32(kState).subspan(head * kStateSize, kStateSize)) {
      square += static_cast<double>(value) * static_cast<double>(value);
    }
    // A value has norm 11.3; the state holds several, and not all 64.
    EXPECT_GT(std::sqrt(square), 11);
    EXPECT_LT(std::sqrt(square), 8 * 11.3);
  }
  // What the new key, towards which the old ones lean, finds there is large.
  const auto expected = filled.trial.reference();
  EXPECT_TRUE(
      std::all_of(expected[kOutput].begin(), expected[kOutput].end(), [](double x) { return std::isfinite(x); }));
}

TEST(GdnDecodeStress, MagnitudesDiffer) {
  std::set<int> exponents;
  for (std::uint64_t call = 0; call < 6; ++call) {
    Filled filled("mixed_magnitudes", call);
    exponents.insert(std::ilogb(filled.largest_of_state(0)));
    exponents.insert(std::ilogb(filled.largest_of_state(1)));
  }
  EXPECT_GT(exponents.size(), 5U);
}

TEST(GdnDecodeStress, TinyValuesHaveDenormals) {
  for (std::uint64_t call = 0; call < 4; ++call) {
    Filled filled("tiny_values", call);
    std::vector<float> values;
    for (const std::uint16_t bits : filled.trial.bfloat16(kV)) {
      values.push_back(tensor::from_bfloat16(bits));
    }
    EXPECT_GT(count_denormals(values), 50);
    EXPECT_GT(count_denormals(filled.trial.float32(kState)), 5000);
    EXPECT_LT(std::min(filled.largest_of_state(0), filled.largest_of_state(1)), 0x1p-95);
  }
}

TEST(GdnDecodeStress, ZeroKeysLeaveTheDecayedState) {
  Filled filled("zero_keys", 0);
  const auto expected = filled.trial.reference();
  int entries = 0;
  for (std::size_t entry = 0; entry < 2; ++entry) {
    const auto keys = filled.trial.bfloat16(kK).subspan(entry * kQueryHeads * kHeadSize, kQueryHeads * kHeadSize);
    if (std::any_of(keys.begin(), keys.end(), [](std::uint16_t bits) { return bits != 0; })) {
      continue;
    }
    ++entries;
    for (std::size_t i = 0; i < kValueHeads * kStateSize; i += 1001) {
      const std::size_t at = entry * kValueHeads * kStateSize + i;
      EXPECT_DOUBLE_EQ(expected[kNewState][at],
                       filled.gate(at / kStateSize) * static_cast<double>(filled.trial.float32(kState)[at]));
    }
  }
  EXPECT_GT(entries, 0);
}

TEST(GdnDecodeStress, ARepeatedKeyFindsWhatIsHeld) {
  Filled filled("repeated_keys", 0);
  const auto q = filled.trial.bfloat16(kQ);
  EXPECT_TRUE(std::equal(q.begin(), q.end(), filled.trial.bfloat16(kK).begin()));
  // Any two rows of a state are in proportion.
  const auto state = filled.trial.float32(kState);
  for (std::size_t j = 1; j < kHeadSize; ++j) {
    EXPECT_NEAR(state[0] * state[kHeadSize + j], state[j] * state[kHeadSize], 1e-6);
  }
}

TEST(GdnDecodeStress, ContentsFollowFromSeedWorkloadAndCall) {
  for (std::size_t kind = 0; kind < kStressKinds.size(); ++kind) {
    Trial first(2);
    Trial second(2);
    const auto generator = instance().make_generator(3);
    generator->fill_stress(kind, make_workload(2, "u"), 5, first.arguments());
    generator->fill_stress(kind, make_workload(2, "u"), 6, second.arguments());
    const auto equal = [&](std::size_t i) { return std::ranges::equal(first.input(i).bytes, second.input(i).bytes); };
    EXPECT_FALSE(equal(kState)) << kStressKinds[kind].name;
    EXPECT_FALSE(equal(kV)) << kStressKinds[kind].name;
    instance().make_generator(3)->fill_stress(kind, make_workload(2, "u"), 5, second.arguments());
    for (std::size_t i = 0; i < kScale; ++i) {
      EXPECT_TRUE(equal(i)) << kStressKinds[kind].name << " input " << i;
    }
  }
}

TEST(GdnDecodeStress, TrialsGoThroughAllKindsAndFitTheirBytes) {
  std::set<std::int64_t> batch_sizes;
  std::set<std::string> uuids;
  for (std::uint64_t index = 0; index < 88; ++index) {
    const StressTrial trial = instance().stress_trial(4, index, 40 * kBytesAnEntry);
    EXPECT_EQ(trial.kind, index % kStressKinds.size());
    batch_sizes.insert(batch_size_of(trial));
    uuids.insert(trial.workload.uuid);
    EXPECT_EQ(batch_size_of(instance().stress_trial(4, index, 1)), 1) << "the smallest shape always fits";
  }
  EXPECT_EQ(uuids.size(), 88U);
  EXPECT_THAT(batch_sizes, testing::ElementsAre(1, 2, 3, 5, 9, 17, 31, 40));
}

/// Runs stress trials of at most two batch entries; true if `judge_trial` says so of some trial.
template <class JudgeTrial>
bool any_trial(std::uint64_t seed, std::uint64_t count, const JudgeTrial& judge_trial) {
  const auto generator = instance().make_generator(seed);
  for (std::uint64_t index = 0; index < count; ++index) {
    const StressTrial stress = instance().stress_trial(seed, index, 2 * kBytesAnEntry);
    Trial trial(batch_size_of(stress));
    generator->fill_stress(stress.kind, stress.workload, index, trial.arguments());
    if (judge_trial(trial, index)) {
      return true;
    }
  }
  return false;
}

TEST(GdnDecodeStress, EveryMistakeIsCaughtWithinTenTrials) {
  for (auto mistake = static_cast<std::uint8_t>(Mistake::zeros);
       mistake <= static_cast<std::uint8_t>(Mistake::last_row_missing); ++mistake) {
    for (const std::uint64_t seed : {1U, 2U}) {
      EXPECT_TRUE(any_trial(seed, 10,
                            [&](Trial& trial, std::uint64_t /*index*/) {
                              run_float32(trial, kCheapStyle, static_cast<Mistake>(mistake));
                              return !trial.judge(trial.reference()).empty();
                            }))
          << "mistake " << static_cast<int>(mistake) << " seed " << seed;
    }
  }
}

TEST(GdnDecodeStress, HonestFloat32PassesTwoThousandTrials) {
  // Without fused multiply-add, which a processor without it computes slowly: GdnDecodeTolerance has it.
  const std::array<Style, 4> styles = {kCheapStyle, Style{16, false, false, Style::Gate::log_of_sum},
                                       Style{64, false, true, Style::Gate::base_two},
                                       Style{4, false, false, Style::Gate::log1p}};
  const auto generator = instance().make_generator(31);
  for (std::uint64_t index = 0; index < 2000; ++index) {
    // Most with one batch entry: it is the contents that are difficult.
    const StressTrial stress = instance().stress_trial(31, index, (index % 8 == 0 ? 2 : 1) * kBytesAnEntry);
    Trial trial(batch_size_of(stress));
    generator->fill_stress(stress.kind, stress.workload, index, trial.arguments());
    run_float32(trial, styles[index % styles.size()]);
    ASSERT_EQ(trial.judge(trial.reference()), "")
        << "trial " << index << " of kind " << kStressKinds[stress.kind].name << ", style " << index % styles.size();
  }
}

/// An honest kernel's own state, fed back to it for 64 steps.
TEST(GdnDecodeStress, AFloat32KernelFedWithItsOwnStateStaysByTheReference) {
  for (const char* kind : {"remembering", "extreme_beta", "repeated_keys"}) {
    for (const Style& style : {kCheapStyle, Style{1, false, false, Style::Gate::log_of_sum}}) {
      const auto generator = instance().make_generator(17);
      Trial honest(1);
      Trial exact(1);
      double worst = 0;
      for (std::uint64_t step = 0; step < 64; ++step) {
        for (Trial* trial : {&honest, &exact}) {
          const std::vector<float> state(trial->new_state().begin(), trial->new_state().end());
          generator->fill_stress(kind_named(kind), make_workload(1, "fed back"), step, trial->arguments());
          if (step > 0) {
            std::copy(state.begin(), state.end(), trial->float32(kState).begin());
          }
        }
        run_float32(honest, style);
        const auto expected = exact.reference();
        std::transform(expected[kNewState].begin(), expected[kNewState].end(), exact.new_state().begin(),
                       [](double value) { return static_cast<float>(value); });
        for (std::size_t begin = 0; begin < expected[kNewState].size(); begin += kStateSize) {
          double error = 0;
          double whole = 0;
          for (std::size_t i = begin; i < begin + kStateSize; ++i) {
            const double difference = static_cast<double>(honest.new_state()[i]) - expected[kNewState][i];
            error += difference * difference;
            whole += expected[kNewState][i] * expected[kNewState][i];
          }
          worst = std::max(worst, std::sqrt(error / whole));
        }
      }
      std::printf("64 steps of %s: norm of the state's error %.2e\n", kind, worst);
      // A step may err by 1e-5; the errors of 64 neither all point one way nor may they grow.
      EXPECT_LT(worst, 8 * instance().rule(kNewState).norm) << kind;
      EXPECT_GT(worst, 0);
    }
  }
}

TEST(GdnDecodeStress, TheLeastWorkIsWhatTheDefinitionMoves) {
  const Work one = instance().least_work({{"batch_size", 1}}, {});
  // q and k 2 KiB, v and output 4 KiB, a and b 32 bytes, two states of 512 KiB, A_log and dt_bias 64 bytes.
  EXPECT_EQ(one.bytes, 2048 + 4096 + 32 + 2 * 524288 + 64);
  EXPECT_EQ(one.operations, 8.0 * 7 * 128 * 128);
  const Work many = instance().least_work({{"batch_size", 64}}, {});
  EXPECT_EQ(many.bytes - 64, 64 * (one.bytes - 64));
  EXPECT_EQ(many.operations, 64 * one.operations);
}

}  // namespace
}  // namespace assay::operators::gdn_decode
