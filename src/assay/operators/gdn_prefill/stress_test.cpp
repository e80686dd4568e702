#include <assay/operators/gdn_prefill/stress.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <set>

#include <assay/operators/gdn_prefill/workload_for_test.hpp>

namespace assay::operators::gdn_prefill {
namespace {

constexpr std::uint64_t kBytes = 400'000;

/// One sequence of 200 tokens with the contents of a kind.
class Filled {
 public:
  explicit Filled(std::string_view kind, std::vector<std::int64_t> lengths = {200})
      : trial_(small_instance(), make_workload(lengths)) {
    const auto found = std::ranges::find_if(kStressKinds, [&](const StressKind& each) { return each.name == kind; });
    EXPECT_NE(found, kStressKinds.end()) << kind;
    small_instance().make_generator(6)->fill_stress(static_cast<std::size_t>(found - kStressKinds.begin()),
                                                    make_workload(lengths), 0, trial_.arguments());
  }

  [[nodiscard]] OperatorTrial& trial() { return trial_; }
  [[nodiscard]] double number(Input input, std::size_t at) {
    return static_cast<double>(tensor::from_bfloat16(trial_.in<std::uint16_t>(input)[at]));
  }
  [[nodiscard]] std::vector<double> gates() {
    std::vector<double> result;
    for (std::size_t i = 0; i < trial_.in<std::uint16_t>(kA).size(); ++i) {
      const double rate = std::exp(static_cast<double>(trial_.in<float>(kALog)[i % 4]));
      const double x = number(kA, i) + static_cast<double>(trial_.in<float>(kDtBias)[i % 4]);
      result.push_back(std::exp(-rate * std::log1p(std::exp(x))));
    }
    return result;
  }
  [[nodiscard]] std::vector<double> betas() {
    std::vector<double> result;
    for (std::size_t i = 0; i < trial_.in<std::uint16_t>(kB).size(); ++i) {
      result.push_back(1 / (1 + std::exp(-number(kB, i))));
    }
    return result;
  }
  /// The key of a token and head.
  [[nodiscard]] std::vector<double> key(std::size_t token, std::size_t head) {
    std::vector<double> result;
    for (std::size_t j = 0; j < 16; ++j) {
      result.push_back(number(kK, (token * 2 + head) * 16 + j));
    }
    return result;
  }

 private:
  OperatorTrial trial_;
};

double cosine(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    sum += x[j] * y[j];
  }
  return sum;
}

TEST(GdnPrefillStress, GatesAndBetasGoToTheirEnds) {
  Filled forgetting("forgetting");
  EXPECT_LT(std::ranges::max(forgetting.gates()), 0.06);
  Filled remembering("remembering");
  EXPECT_GT(std::ranges::min(remembering.gates()), 0.99);
  EXPECT_LT(std::ranges::max(remembering.betas()), 0.0025);
  Filled extreme("extreme_beta");
  int written = 0;
  for (const double beta : extreme.betas()) {
    EXPECT_LT(std::min(beta, 1 - beta), 0.0025);
    written += beta > 0.5 ? 1 : 0;
  }
  EXPECT_GT(written, 300);
  EXPECT_LT(written, 500);
}

TEST(GdnPrefillStress, KeysComeAgainOrLeanTogetherOrAreZero) {
  Filled repeated("repeated_keys");
  Filled chain("long_chain");
  Filled zeros("zero_keys");
  std::set<std::vector<double>> distinct;
  double correlation = 0;
  int zero_keys = 0;
  for (std::size_t token = 0; token < 200; ++token) {
    distinct.insert(repeated.key(token, 1));
    correlation += token == 0 ? 0 : cosine(chain.key(token, 1), chain.key(token - 1, 1)) / 199;
    zero_keys += cosine(zeros.key(token, 0), zeros.key(token, 0)) == 0 ? 1 : 0;
  }
  EXPECT_LE(distinct.size(), 3U);
  EXPECT_NEAR(correlation, 0.6, 0.15);
  EXPECT_GT(zero_keys, 50);
  EXPECT_LT(zero_keys, 150);
}

TEST(GdnPrefillStress, ChainsHaveAtLeast64TokensWithGatesNearOne) {
  Filled chain("long_chain");
  const auto gates = chain.gates();
  double product = 1;
  for (std::size_t token = 0; token < 64; ++token) {
    product *= gates[token * 4];
  }
  EXPECT_GT(product, 0.3) << "the first of 64 tokens must still count";
  for (std::uint64_t index = 7; index < 200; index += kStressKinds.size()) {
    const StressTrial trial = small_instance().stress_trial(2, index, kBytes);
    EXPECT_EQ(kStressKinds[trial.kind].name, "long_chain");
    EXPECT_GE(trial.workload.lengths[0], 64);
  }
}

TEST(GdnPrefillStress, MagnitudesOfStatesAndValues) {
  const auto largest = [](std::span<const float> values) {
    float most = 0;
    for (const float value : values) {
      most = std::max(most, std::fabs(value));
    }
    return most;
  };
  Filled large("large_state");
  EXPECT_GT(largest(large.trial().in<float>(kState)), 16);
  Filled tiny("tiny_values");
  EXPECT_LT(largest(tiny.trial().in<float>(kState)), 0x1p-95F);
  EXPECT_GT(std::ranges::count_if(tiny.trial().in<float>(kState),
                                  [](float value) { return std::fpclassify(value) == FP_SUBNORMAL; }),
            50);
  const std::vector<std::int64_t> lengths(12, 2);
  Filled mixed("mixed", lengths);
  std::set<int> exponents;
  for (std::size_t at = 0; at < 12; ++at) {
    exponents.insert(std::ilogb(largest(mixed.trial().in<float>(kState).subspan(at * 1024, 1024))));
  }
  EXPECT_GT(exponents.size(), 5U);
}

TEST(GdnPrefillStress, ContentsFollowFromSeedWorkloadAndCall) {
  for (std::size_t kind = 0; kind < kStressKinds.size(); ++kind) {
    const task::Workload workload = make_workload({70, 0, 3});
    OperatorTrial first(small_instance(), workload);
    OperatorTrial second(small_instance(), workload);
    const auto equal = [&](std::size_t i) { return std::ranges::equal(first.input(i).bytes, second.input(i).bytes); };
    small_instance().make_generator(3)->fill_stress(kind, workload, 5, first.arguments());
    small_instance().make_generator(3)->fill_stress(kind, workload, 6, second.arguments());
    EXPECT_FALSE(equal(kQ)) << kStressKinds[kind].name;
    small_instance().make_generator(3)->fill_stress(kind, workload, 5, second.arguments());
    for (std::size_t i = 0; i < kScale; ++i) {
      EXPECT_TRUE(equal(i)) << kStressKinds[kind].name << " input " << i;
    }
  }
}

TEST(GdnPrefillStress, TrialsGoThroughAllKindsAndFitTheirBytes) {
  for (const Operator* op : instances()) {
    std::set<std::string> uuids;
    for (const std::uint64_t largest : {std::uint64_t{1}, kBytes, std::uint64_t{40'000'000}}) {
      for (std::uint64_t index = 0; index < 2 * kStressKinds.size(); ++index) {
        const StressTrial trial = op->stress_trial(4, index, largest);
        EXPECT_EQ(trial.kind, index % kStressKinds.size());
        uuids.insert(trial.workload.uuid);
        OperatorTrial filled(*op, trial.workload);
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < kInputCount; ++i) {
          bytes += i == kScale ? 0 : filled.input(i).bytes.size();
        }
        for (std::size_t i = 0; i < kOutputCount; ++i) {
          bytes += filled.output(i).bytes.size();
        }
        // One token of one sequence is the least that there is; A_log, dt_bias and the first of cu_seqlens come on top.
        const Dimensions& dimensions = op == &small_instance() ? kSmallDimensions : kContestDimensions;
        EXPECT_LE(bytes, std::max<std::uint64_t>(largest, dimensions.sequence_bytes() + dimensions.token_bytes()) + 80);
        EXPECT_GE(std::ranges::max(trial.workload.lengths), 1);
      }
    }
    EXPECT_EQ(uuids.size(), 2 * kStressKinds.size());
  }
}

TEST(GdnPrefillStress, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (const StressKind& kind : small_instance().stress_kinds()) {
    names.insert(kind.name);
    EXPECT_FALSE(kind.what.empty());
  }
  EXPECT_EQ(names.size(), kStressKinds.size());
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
