#include <assay/operators/moe_fp8_block_scale/generator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include <assay/operators/arguments.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/trial_for_test.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

using Bytes = std::vector<std::vector<std::byte>>;

Bytes bytes_of(OperatorTrial& trial) {
  Bytes bytes;
  for (std::size_t i = 0; i < kLocalExpertOffset; ++i) {
    bytes.emplace_back(trial.input(i).bytes.begin(), trial.input(i).bytes.end());
  }
  return bytes;
}

std::vector<std::size_t> selected(OperatorTrial& trial) {
  std::vector<std::size_t> experts;
  for (const Choice& choice : route(kSmall, trial.const_arguments()).nominal) {
    experts.push_back(choice.expert);
  }
  return experts;
}

std::set<std::size_t> active(OperatorTrial& trial) {
  const auto experts = active_experts(kSmall, route(kSmall, trial.const_arguments()),
                                      static_cast<std::int64_t>(trial.scalar(kLocalExpertOffset)));
  return {experts.begin(), experts.end()};
}

TEST(MoeGenerator, TheSameSeedWorkloadAndCallGiveTheSameBytes) {
  const task::Workload workload = make_workload(9, "u");
  OperatorTrial first(small(), workload);
  OperatorTrial second(small(), workload);
  const auto a = small().make_generator(1);
  const auto b = small().make_generator(1);
  b->fill(make_workload(5, "another"), 7, OperatorTrial(small(), make_workload(5, "another")).arguments());
  b->fill(workload, 3, second.arguments());
  a->fill(workload, 3, first.arguments());
  EXPECT_EQ(bytes_of(first), bytes_of(second));
  a->fill_stress(2, workload, 3, first.arguments());
  b->fill_stress(2, workload, 3, second.arguments());
  EXPECT_EQ(bytes_of(first), bytes_of(second));
}

TEST(MoeGenerator, SeedsAndCallsChangeContentsButNotTheSelection) {
  const task::Workload workload = make_workload(40, "u");
  OperatorTrial trial(small(), workload);
  const auto generator = small().make_generator(1);
  generator->fill(workload, 0, trial.arguments());
  const Bytes first = bytes_of(trial);
  const auto experts = selected(trial);
  for (std::uint64_t call = 1; call < 12; ++call) {
    small().make_generator(call % 3)->fill(workload, call, trial.arguments());
    const Bytes next = bytes_of(trial);
    EXPECT_EQ(selected(trial), experts);
    for (std::size_t input = 0; input < next.size(); ++input) {
      if (input != kBias) {
        EXPECT_NE(next[input], first[input]) << input;
      }
    }
  }
  const task::Workload other = make_workload(40, "v");
  generator->fill(other, 0, trial.arguments());
  EXPECT_NE(selected(trial), experts);
}

TEST(MoeGenerator, WeightsChangeByMoreThanTheToleranceFromCallToCall) {
  const task::Workload workload = make_workload(40, "u");
  OperatorTrial trial(small(), workload);
  const auto generator = small().make_generator(1);
  generator->fill(workload, 0, trial.arguments());
  const auto first = route(kSmall, trial.const_arguments()).nominal;
  generator->fill(workload, 1, trial.arguments());
  const auto second = route(kSmall, trial.const_arguments()).nominal;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    changed += std::fabs(first[i].weight - second[i].weight) > 0.01 * first[i].weight ? 1U : 0U;
  }
  EXPECT_GT(changed, first.size() * 3 / 4);
}

TEST(MoeGenerator, EveryByteIsWrittenButThoseOfExpertsThatNobodySelects) {
  const auto generator = small().make_generator(4);
  std::set<std::size_t> counts;
  for (const char* uuid : {"a", "b", "c", "d", "e", "f"}) {
    const task::Workload workload = make_workload(2, uuid);
    OperatorTrial ones(small(), workload);
    OperatorTrial zeros(small(), workload);
    for (std::size_t i = 0; i < kLocalExpertOffset; ++i) {
      std::fill(ones.input(i).bytes.begin(), ones.input(i).bytes.end(), std::byte{0xff});
    }
    generator->fill(workload, 1, ones.arguments());
    generator->fill(workload, 1, zeros.arguments());
    const Bytes a = bytes_of(ones);
    const Bytes b = bytes_of(zeros);
    for (const Input input : {kLogits, kBias, kHidden, kHiddenScale}) {
      EXPECT_EQ(a[input], b[input]);
    }
    const std::set<std::size_t> busy = active(zeros);
    counts.insert(busy.size());
    for (const Input input : {kGemm1Weights, kGemm1WeightsScale, kGemm2Weights, kGemm2WeightsScale}) {
      const std::size_t size = a[input].size() / 4;
      for (std::size_t e = 0; e < 4; ++e) {
        const auto part = [&](const Bytes& bytes) { return std::span(bytes[input]).subspan(e * size, size); };
        if (busy.contains(e)) {
          EXPECT_TRUE(std::ranges::equal(part(a), part(b))) << e;
        } else {
          EXPECT_TRUE(std::ranges::all_of(part(a), [](std::byte x) { return x == std::byte{0xff}; })) << e;
          EXPECT_TRUE(std::ranges::all_of(part(b), [](std::byte x) { return x == std::byte{0}; })) << e;
        }
      }
    }
  }
  EXPECT_GT(counts.size(), 1U) << "the test must see experts that are idle";
  EXPECT_FALSE(counts.contains(0)) << "a workload without any local expert would measure nothing";
}

TEST(MoeGenerator, ContentsAreThoseOfTheContestsEvaluator) {
  const task::Workload workload = make_workload(257, "u");
  OperatorTrial trial(small(), workload);
  double sum = 0;
  double square = 0;
  double count = 0;
  double clamped = 0;
  double values = 0;
  const auto generator = small().make_generator(3);
  for (std::uint64_t call = 0; call < 8; ++call) {
    generator->fill(workload, call, trial.arguments());
    for (const Input input : {kHiddenScale, kGemm1WeightsScale, kGemm2WeightsScale}) {
      for (const float scale : trial.in<float>(input)) {
        sum += static_cast<double>(scale);
        square += static_cast<double>(scale) * static_cast<double>(scale);
        ++count;
      }
    }
    for (const std::uint8_t code : trial.in<std::uint8_t>(kHidden)) {
      const float value = tensor::from_float8_e4m3fn(code);
      ASSERT_LE(std::fabs(value), 2.0F);
      clamped += std::fabs(value) == 2.0F ? 1 : 0;
      ++values;
    }
  }
  EXPECT_NEAR(sum / count, 0, 0.05);
  EXPECT_NEAR(square / count, 1, 0.1);
  // What is beyond 1.9375 rounds to 2 or is clamped to it.
  EXPECT_NEAR(clamped / values, std::erfc(1.9375 / std::sqrt(2.0)), 0.01);
}

TEST(MoeGenerator, DrawnSelectionsAreFarFromAnyOther) {
  for (const Dimensions& d : {kSmall, kContest}) {
    const RouterInputs inputs = draw_workload_routing(d, "margins", 200, 0);
    TokenRouter router(d, read_bias(std::as_bytes(std::span(inputs.bias))), 1);
    std::set<std::size_t> experts;
    for (std::size_t t = 0; t < 200; ++t) {
      router.assign(std::span(inputs.logits).subspan(t * d.experts, d.experts));
      EXPECT_GE(router.margins().experts, kDrawnMargin);
      EXPECT_GE(router.margins().groups, 2 * kDrawnMargin);
      for (const Choice& choice : router.nominal()) {
        experts.insert(choice.expert);
      }
    }
    EXPECT_GT(experts.size(), d.experts / 2) << "tokens differ";
  }
}

TEST(MoeGenerator, RoutingIsCorrelatedAndTheLocalShareIsFair) {
  // Two tokens of a workload share more experts than two that choose by themselves: 8 * 8 / 256 = 0.25 of 8.
  double shared = 0;
  double local = 0;
  constexpr std::size_t kTokens = 64;
  constexpr int kWorkloads = 12;
  for (int w = 0; w < kWorkloads; ++w) {
    const RouterInputs inputs = draw_workload_routing(kContest, "share" + std::to_string(w), kTokens, 32);
    const Routing routing =
        route(kContest, std::as_bytes(std::span(inputs.logits)), std::as_bytes(std::span(inputs.bias)), 32, 1);
    std::vector<std::set<std::size_t>> of_token(kTokens);
    for (std::size_t i = 0; i < routing.nominal.size(); ++i) {
      of_token[i / 8].insert(routing.nominal[i].expert);
      local += local_index(kContest, routing.nominal[i].expert, 32) < 32 ? 1 : 0;
    }
    for (std::size_t t = 1; t < kTokens; ++t) {
      shared +=
          static_cast<double>(std::ranges::count_if(of_token[t], [&](auto e) { return of_token[t - 1].contains(e); }));
    }
  }
  EXPECT_GT(shared / (kWorkloads * (kTokens - 1)), 0.3);
  EXPECT_NEAR(local / (kWorkloads * kTokens), 1, 0.4) << "about one local row a token";
}

TEST(MoeGenerator, ScalarsAreTheWorkloads) {
  OperatorTrial trial(small(), make_workload(1, "u"));
  const auto generator = small().make_generator(1);
  generator->fill(make_workload(1, "u", 8, 0.75), 0, trial.arguments());
  EXPECT_EQ(std::get<std::int64_t>(std::get<Scalar>(trial.arguments()[kLocalExpertOffset])), 8);
  EXPECT_EQ(std::get<double>(std::get<Scalar>(trial.arguments()[kRoutedScalingFactor])), 0.75);
  task::Workload without = make_workload(1, "u");
  without.inputs.clear();
  generator->fill(without, 0, trial.arguments());
  EXPECT_EQ(trial.scalar(kLocalExpertOffset), 0);
  EXPECT_EQ(trial.scalar(kRoutedScalingFactor), 2.5);
}

TEST(MoeStress, KindsAreWhatTheirNamesSay) {
  constexpr std::int64_t kTokens = 40;
  const auto local_counts = [&](Kind kind) {
    OperatorTrial trial = make_stressed(kind, kTokens);
    std::vector<int> counts(kTokens, 0);
    const Routing routing = route(kSmall, trial.const_arguments());
    for (std::size_t i = 0; i < routing.nominal.size(); ++i) {
      counts[i / kSmall.top_k] += local_index(kSmall, routing.nominal[i].expert, 4) < 4 ? 1 : 0;
    }
    return counts;
  };
  EXPECT_THAT(local_counts(Kind::no_local_expert), testing::Each(0));
  EXPECT_THAT(local_counts(Kind::one_expert), testing::Each(1));
  EXPECT_THAT(local_counts(Kind::hot_group), testing::Each(testing::Ge(1)));
  EXPECT_THAT(local_counts(Kind::moderate_gates), testing::Contains(0));

  OperatorTrial one = make_stressed(Kind::one_expert, kTokens);
  EXPECT_EQ(active(one).size(), 1U);
  OperatorTrial none = make_stressed(Kind::no_local_expert, kTokens);
  EXPECT_THAT(none.reference()[0], testing::Each(0.0));

  OperatorTrial positive = make_stressed(Kind::one_sign, kTokens);
  EXPECT_THAT(positive.in<float>(kHiddenScale), testing::Each(testing::Ge(0.25F)));
  EXPECT_THAT(positive.in<std::uint8_t>(kGemm1Weights), testing::Each(testing::Lt(0x80)));

  OperatorTrial wide = make_stressed(Kind::wide_scales, 257);
  const auto scales = wide.in<float>(kHiddenScale);
  EXPECT_THAT(scales, testing::Contains(0.0F));
  EXPECT_THAT(scales, testing::Contains(testing::Gt(100.0F)));
  EXPECT_THAT(scales, testing::Contains(testing::Lt(-100.0F)));
  EXPECT_THAT(scales, testing::Contains(testing::AllOf(testing::Gt(0.0F), testing::Lt(0.01F))));

  OperatorTrial extreme = make_stressed(Kind::saturated, kTokens);
  EXPECT_THAT(extreme.in<std::uint8_t>(kHidden), testing::IsSupersetOf({0x7e, 0xfe, 0x01, 0x81, 0x00}));
  EXPECT_THAT(extreme.in<std::uint8_t>(kHidden), testing::Each(testing::AllOf(testing::Ne(0x7f), testing::Ne(0xff))));
  EXPECT_THAT(extreme.in<float>(kLogits), testing::Contains(testing::Gt(20.0F)));
}

TEST(MoeStress, ModerateGatesAreModerate) {
  OperatorTrial trial = make_stressed(Kind::moderate_gates, 64);
  // The gates themselves are not an output: undo W2 by making it a unit matrix would be another kernel, so they are
  // bounded by what the output shows: with gates of deviation 2 the intermediate is about 2, times 0.02 * sqrt(256).
  const auto output = trial.reference()[0];
  double square = 0;
  double count = 0;
  for (const double value : output) {
    square += value * value;
    count += value != 0 ? 1 : 0;
  }
  const double deviation = std::sqrt(square / count);
  EXPECT_GT(deviation, 0.05);
  EXPECT_LT(deviation, 2);
}

TEST(MoeStress, TiesAndCloseMarginsAreOnTheirSideOfTheBound) {
  for (const std::uint64_t call : {0U, 1U, 2U}) {
    OperatorTrial experts = make_stressed(Kind::expert_ties, 64, call);
    OperatorTrial groups = make_stressed(Kind::group_ties, 64, call);
    OperatorTrial close = make_stressed(Kind::close_margins, 64, call);
    // Every token is tied; those of which no local expert sees anything do not count.
    EXPECT_GT(route(kSmall, experts.const_arguments()).ambiguous.size(), 15U);
    EXPECT_GT(route(kSmall, groups.const_arguments()).ambiguous.size(), 15U);
    EXPECT_TRUE(route(kSmall, close.const_arguments()).ambiguous.empty());
    std::vector<double> margins;
    TokenRouter router(kSmall, read_bias(close.input(kBias).bytes), 1);
    for (std::size_t t = 0; t < 64; ++t) {
      router.assign(close.in<float>(kLogits).subspan(t * 16, 16));
      margins.push_back(router.margins().experts);
    }
    EXPECT_THAT(margins, testing::Each(testing::Ge(0.99 * 0x1p-14)));
    std::nth_element(margins.begin(), margins.begin() + 32, margins.end());
    EXPECT_LT(margins[32], 0x1p-10) << "most tokens are close";
  }
}

TEST(MoeStress, TrialsCoverKindsAndShapes) {
  std::set<std::size_t> kinds;
  std::set<std::int64_t> tokens;
  std::set<std::int64_t> offsets;
  for (std::uint64_t index = 0; index < 400; ++index) {
    const StressTrial trial = small().stress_trial(9, index, 1 << 20);
    EXPECT_EQ(trial.kind, index % kStressKinds.size());
    kinds.insert(trial.kind);
    tokens.insert(*task::find(trial.workload.axes, "seq_len"));
    offsets.insert(static_cast<std::int64_t>(workload_scalar(trial.workload, "local_expert_offset", -1)));
  }
  EXPECT_EQ(kinds.size(), 12U);
  for (const std::int64_t wanted : {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 257}) {
    EXPECT_TRUE(tokens.contains(wanted)) << wanted;
  }
  EXPECT_THAT(offsets, testing::ElementsAre(0, 4, 8, 12));
  EXPECT_EQ(*task::find(small().stress_trial(9, 3, 0).workload.axes, "seq_len"), 1);
  EXPECT_EQ(small().stress_trial(9, 3, 1 << 20).workload.uuid, "stress-moe_fp8_block_scale-9-3");
}

// Which local experts some token may select, by what lies in the arguments.
std::vector<std::size_t> selected_experts(OperatorTrial& trial) {
  const auto offset = static_cast<std::int64_t>(trial.scalar(kLocalExpertOffset));
  return active_experts(kSmall, route(kSmall, trial.const_arguments()), offset);
}

// To which expert an element of the weights or of their scales belongs; none of other arguments.
std::optional<std::size_t> expert_of(OperatorTrial& trial, std::size_t input, std::size_t at) {
  const bool is_of_experts = input >= kGemm1Weights && input <= kGemm2WeightsScale;
  return is_of_experts ? std::optional(at / (trial.input(input).bytes.size() / kSmall.local_experts)) : std::nullopt;
}

// One place of what was read before. Weights of experts that no token selected before are no call's until then.
TEST(MoePerturbation, ChangesOnePlaceAndShows) {
  const auto generator = small().make_generator(5);
  std::set<std::size_t> touched;
  int shown = 0;
  int added = 0;
  constexpr int kCalls = 60;
  for (std::uint64_t call = 0; call < kCalls; ++call) {
    const task::Workload workload =
        make_workload(1 + static_cast<std::int64_t>(call % 7), "p" + std::to_string(call % 4));
    OperatorTrial trial(small(), workload);
    generator->fill(workload, call, trial.arguments());
    const Bytes before = bytes_of(trial);
    const double offset = trial.scalar(kLocalExpertOffset);
    const double factor = trial.scalar(kRoutedScalingFactor);
    const auto unperturbed = trial.reference();
    const std::vector<std::size_t> selected = selected_experts(trial);
    generator->perturb(call, call / 3, trial.arguments());
    const Bytes after = bytes_of(trial);
    int changed = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t element = tensor::byte_size(trial.input(i).dtype, 1);
      for (std::size_t at = 0; at < before[i].size(); at += element) {
        if (std::memcmp(before[i].data() + at, after[i].data() + at, element) != 0) {
          const auto expert = expert_of(trial, i, at);
          if (expert && !std::binary_search(selected.begin(), selected.end(), *expert)) {
            ++added;
            continue;
          }
          ++changed;
          touched.insert(i);
        }
      }
    }
    for (const Input input : {kLocalExpertOffset, kRoutedScalingFactor}) {
      if (trial.scalar(input) != (input == kLocalExpertOffset ? offset : factor)) {
        ++changed;
        touched.insert(input);
      }
    }
    EXPECT_EQ(changed, 1) << call;
    // What a candidate leaves that gives the output of the unperturbed call.
    std::transform(unperturbed[0].begin(), unperturbed[0].end(), trial.out<std::uint16_t>(0).begin(),
                   [](double value) { return tensor::to_bfloat16(static_cast<float>(value)); });
    const bool shows = !trial.judge(trial.reference()).empty();
    EXPECT_TRUE(shows || call % kInputCount == kGemm1Weights) << "input " << call % kInputCount << ", call " << call;
    shown += shows ? 1 : 0;
  }
  EXPECT_EQ(touched.size(), std::size_t{kInputCount});
  EXPECT_GT(added, 0) << "no call selected an expert for the first time";
  EXPECT_GE(shown, kCalls - 3);
}

TEST(MoePerturbation, WithoutALocalExpertItStillChangesSomething) {
  OperatorTrial trial = make_stressed(Kind::no_local_expert, 5);
  const auto generator = small().make_generator(5);
  for (std::uint64_t which = 0; which < kLocalExpertOffset; ++which) {
    const Bytes before = bytes_of(trial);
    generator->perturb(which, 0, trial.arguments());
    EXPECT_NE(bytes_of(trial), before) << which;
  }
}

TEST(MoeGeneratorDeathTest, ArgumentsOfAnotherShapeAreBugs) {
  const task::Workload workload = make_workload(2, "u");
  OperatorTrial trial(small(), workload);
  const auto generator = small().make_generator(1);
  std::vector<Argument> few(trial.arguments().begin(), trial.arguments().end() - 1);
  EXPECT_DEATH(generator->fill(workload, 0, few), "arguments.size");
  trial.input(kGemm2Weights).bytes = trial.input(kGemm2Weights).bytes.first(128);
  EXPECT_DEATH(generator->fill(workload, 0, trial.arguments()), "gemm2_weights");
  EXPECT_DEATH(generator->fill_stress(kStressKinds.size(), workload, 0, trial.arguments()), "kind <");
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
