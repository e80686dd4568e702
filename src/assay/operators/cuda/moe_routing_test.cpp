// The GPU's way to choose experts, run on the CPU, against the CPU's own.
#include <assay/operators/cuda/moe_routing.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <limits>

#include <assay/base/random.hpp>
#include <assay/operators/cuda/moe_scratch.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/trial_for_test.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

static_assert(cuda::kRoutingMargin == kScoreMargin);

cuda::MoeSizes sizes_of(const Dimensions& d) {
  const auto narrow = [](std::size_t value) { return static_cast<std::int32_t>(value); };
  return {narrow(d.experts), narrow(d.local_experts), narrow(d.hidden), narrow(d.intermediate),
          narrow(d.groups),  narrow(d.kept_groups),   narrow(d.top_k)};
}

struct Chosen {
  std::vector<std::int32_t> experts;
  std::vector<double> weights;
  bool open = false;
};

Chosen choose(const Dimensions& d, std::span<const float> logits, std::span<const double> bias, double factor) {
  std::vector<double> sigmoids;
  std::vector<double> scores;
  std::vector<float> rounded;
  for (std::size_t e = 0; e < d.experts; ++e) {
    sigmoids.push_back(cuda::sigmoid_value(static_cast<double>(logits[e])));
    scores.push_back(cuda::least_if_nan(sigmoids[e] + bias[e]));
    rounded.push_back(cuda::least_if_nan(static_cast<float>(sigmoids[e]) + static_cast<float>(bias[e])));
  }
  Chosen chosen{std::vector<std::int32_t>(d.top_k), std::vector<double>(d.top_k), false};
  chosen.open = cuda::choose_experts(sizes_of(d), {sigmoids.data(), scores.data(), rounded.data()}, factor,
                                     chosen.experts.data(), chosen.weights.data());
  return chosen;
}

void expect_same(const Dimensions& d, std::span<const float> logits, std::span<const double> bias, double factor,
                 std::string_view what) {
  TokenRouter router(d, bias, factor);
  router.assign(logits);
  const Chosen chosen = choose(d, logits, bias, factor);
  for (std::size_t i = 0; i < d.top_k; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(chosen.experts[i]), router.nominal()[i].expert) << what;
    const double weight = router.nominal()[i].weight;
    EXPECT_TRUE(chosen.weights[i] == weight || (std::isnan(weight) && std::isnan(chosen.weights[i]))) << what;
  }
  EXPECT_TRUE(chosen.open || router.selections().size() == 1) << what;
  double unit = kScoreMargin;
  for (std::size_t e = 0; e < d.experts; ++e) {
    const double magnitude = std::fabs(router.score(e));
    unit = std::isfinite(magnitude) ? std::max(unit, kScoreMargin * magnitude) : unit;
  }
  const Margins margins = router.margins();
  EXPECT_EQ(chosen.open, !(margins.groups > 2 * unit && margins.experts > unit)) << what;
}

TEST(DeviceMoeRouting, ChoosesAsTheCpuDoesOnEveryKindOfStress) {
  std::size_t open = 0;
  for (std::size_t kind = 0; kind < kStressKinds.size(); ++kind) {
    OperatorTrial trial = make_stressed(static_cast<Kind>(kind), 65, kind);
    const std::vector<double> bias = read_bias(trial.input(kBias).bytes);
    const std::span<const float> logits = trial.in<float>(kLogits);
    for (std::size_t token = 0; token < 65; ++token) {
      const auto row = logits.subspan(token * kSmall.experts, kSmall.experts);
      expect_same(kSmall, row, bias, trial.scalar(kRoutedScalingFactor), kStressKinds[kind].name);
      open += choose(kSmall, row, bias, 1).open ? 1U : 0U;
    }
  }
  EXPECT_GT(open, 20U);                           // Ties were among them,
  EXPECT_LT(open, 65 * kStressKinds.size() / 2);  // and clear cases.
}

TEST(DeviceMoeRouting, ChoosesAsTheCpuDoesAtTheContestsSizes) {
  base::Philox random(3, 4);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> logits(kContest.experts);
    std::vector<double> bias(kContest.experts);
    const bool coarse = trial % 2 == 0;  // Few values: many are equal.
    for (std::size_t e = 0; e < kContest.experts; ++e) {
      logits[e] = coarse ? static_cast<float>(random.next_below(12)) * 0.25F
                         : static_cast<float>(random.next_uniform() * 8 - 4);
      bias[e] = coarse ? static_cast<double>(random.next_below(3)) * 0.125 : random.next_uniform() - 0.5;
    }
    expect_same(kContest, logits, bias, 2.5, coarse ? "coarse" : "fine");
  }
}

TEST(DeviceMoeRouting, OrdersWhatIsNoNumberLast) {
  std::vector<float> logits(kSmall.experts, 0.0F);
  const std::vector<double> bias(kSmall.experts, 0.0);
  logits[0] = std::numeric_limits<float>::quiet_NaN();
  logits[5] = -std::numeric_limits<float>::infinity();
  logits[6] = std::numeric_limits<float>::infinity();
  const Chosen chosen = choose(kSmall, logits, bias, 1);
  EXPECT_EQ(std::count(chosen.experts.begin(), chosen.experts.end(), 0), 0);
  EXPECT_EQ(std::count(chosen.experts.begin(), chosen.experts.end(), 6), 1);
  expect_same(kSmall, logits, bias, 1, "NaN");
  std::fill(logits.begin(), logits.end(), std::numeric_limits<float>::quiet_NaN());
  expect_same(kSmall, logits, bias, 1, "nothing but NaN");
}

TEST(DeviceMoeScratch, PartsAreAlignedDisjointAndBoundedByTheTokensAtATime) {
  for (const std::size_t tokens : {std::size_t{1}, std::size_t{33}, cuda::kMoeTokensAtATime}) {
    const cuda::MoeScratch scratch = cuda::lay_out_moe_scratch(kContest, tokens);
    const std::vector<std::pair<std::size_t, std::size_t>> parts = {
        {scratch.local_experts, tokens * 8 * 4}, {scratch.weights, tokens * 8 * 8},
        {scratch.rows, 32 * tokens * 4},         {scratch.counts, std::size_t{32} * 4},
        {scratch.gated, tokens * 8 * 2048 * 8},  {scratch.result, tokens * 8 * 7168 * 8}};
    std::size_t end = 0;
    for (const auto& [begin, bytes] : parts) {
      EXPECT_EQ(begin % 256, 0U);
      EXPECT_GE(begin, end);
      end = begin + bytes;
    }
    EXPECT_GE(scratch.size, end);
    EXPECT_LT(scratch.size, end + 256);
  }
  EXPECT_LT(cuda::lay_out_moe_scratch(kContest, cuda::kMoeTokensAtATime).size, std::size_t{5} << 29U);
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
