#include <assay/operators/moe_fp8_block_scale/routing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <assay/base/random.hpp>
#include <assay/operators/moe_fp8_block_scale/routing_draw.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

using testing::ElementsAre;

std::vector<std::size_t> experts_of(const Selection& selection) {
  std::vector<std::size_t> experts;
  for (const Choice& choice : selection) {
    experts.push_back(choice.expert);
  }
  return experts;
}

double logit(double probability) { return std::log(probability / (1 - probability)); }

/// Sixteen experts in four groups of four, of which two groups and four experts are taken. Nothing is near anything.
std::vector<float> example_logits() {
  // Sums of two: 0.9 + 0.1, 0.6 + 0.58, 0.7 + 0.2, 0.5 + 0.45: groups 1 and 0 are kept.
  const std::vector<double> sigmoids = {0.90, 0.10, 0.05, 0.02, 0.58, 0.30, 0.60, 0.25,
                                        0.70, 0.20, 0.15, 0.12, 0.50, 0.45, 0.40, 0.35};
  std::vector<float> logits;
  for (const double s : sigmoids) {
    logits.push_back(static_cast<float>(logit(s)));
  }
  return logits;
}

TokenRouter example_router(const std::vector<double>& bias = std::vector<double>(16), double factor = 2) {
  TokenRouter router(kSmall, bias, factor);
  router.assign(example_logits());
  return router;
}

TEST(MoeRouting, GroupsByTheirTwoBestThenExpertsOfThose) {
  const TokenRouter router = example_router();
  EXPECT_THAT(router.kept_groups(), ElementsAre(0, 1));
  // 0.90, 0.60, 0.58 and 0.30; not 0.70 and 0.50, whose groups are dropped.
  EXPECT_THAT(experts_of(router.nominal()), ElementsAre(0, 4, 5, 6));
  const double sum = 0.90 + 0.58 + 0.30 + 0.60;
  EXPECT_NEAR(router.nominal()[0].weight, 2 * 0.90 / sum, 1e-6);
  EXPECT_NEAR(router.nominal()[2].weight, 2 * 0.30 / sum, 1e-6);
  EXPECT_EQ(router.selections().size(), 1U);
  EXPECT_NEAR(router.margins().groups, 1.0 - 0.95, 1e-6);
  EXPECT_NEAR(router.margins().experts, 0.30 - 0.25, 1e-6);
}

TEST(MoeRouting, TheBiasChoosesButDoesNotWeigh) {
  std::vector<double> bias(16, 0.0);
  bias[3] = 1;     // From the last of group 0 to its first.
  bias[12] = 0.5;  // Group 3 becomes 1.0 + 0.45 = 1.45; group 0 1.02 + 0.9 = 1.92; group 1 stays 1.18.
  const TokenRouter router = example_router(bias);
  EXPECT_THAT(router.kept_groups(), ElementsAre(0, 3));
  EXPECT_THAT(experts_of(router.nominal()), ElementsAre(0, 3, 12, 13));
  const double sum = 0.90 + 0.02 + 0.50 + 0.45;
  EXPECT_NEAR(router.nominal()[1].weight, 2 * 0.02 / sum, 1e-6);
}

TEST(MoeRouting, NegativeScoresOfKeptGroupsWinOverDroppedOnes) {
  const TokenRouter router = example_router(std::vector<double>(16, -4.0));
  EXPECT_THAT(experts_of(router.nominal()), ElementsAre(0, 4, 5, 6));
}

TEST(MoeRouting, WeightsSumToTheFactorUnlessAllSigmoidsVanish) {
  TokenRouter router(kSmall, std::vector<double>(16), 2.5);
  base::Philox random(1, 2);
  for (int round = 0; round < 50; ++round) {
    std::vector<float> logits(16);
    for (float& value : logits) {
      value = static_cast<float>(random.next_normal());
    }
    router.assign(logits);
    double sum = 0;
    for (const Choice& choice : router.nominal()) {
      sum += choice.weight;
    }
    EXPECT_NEAR(sum, 2.5, 1e-12);
  }
  router.assign(std::vector<float>(16, -60.0F));  // 4 e^-60 is 3.5e-26, far below the 1e-20 that is added.
  EXPECT_NEAR(router.nominal()[0].weight, 2.5 * std::exp(-60.0) / 1e-20, 1e-9);
}

TEST(MoeRouting, EqualScoresAreLegalEitherWayAndTheLowestIndexIsNominal) {
  std::vector<float> logits = example_logits();
  logits[7] = logits[5];
  TokenRouter router(kSmall, std::vector<double>(16), 2);
  router.assign(logits);
  const auto selections = router.selections();
  ASSERT_EQ(selections.size(), 2U);
  EXPECT_THAT(experts_of(selections[0]), ElementsAre(0, 4, 5, 6));
  EXPECT_THAT(experts_of(selections[1]), ElementsAre(0, 4, 6, 7));
}

TEST(MoeRouting, EqualGroupsAreLegalEitherWay) {
  std::vector<float> logits = example_logits();
  std::copy_n(logits.begin(), 4, logits.begin() + 12);
  TokenRouter router(kSmall, std::vector<double>(16), 2);
  router.assign(logits);
  EXPECT_THAT(router.kept_groups(), ElementsAre(0, 1));
  const auto selections = router.selections();
  ASSERT_EQ(selections.size(), 2U);
  EXPECT_THAT(experts_of(selections[0]), ElementsAre(0, 4, 5, 6));
  EXPECT_THAT(experts_of(selections[1]), ElementsAre(4, 5, 6, 12));
}

TEST(MoeRouting, TheMarginIsSharp) {
  const auto selections_at = [](double gap) {
    std::vector<float> logits = example_logits();
    logits[7] = static_cast<float>(logit(1.0 / (1.0 + std::exp(-static_cast<double>(logits[5]))) - gap));
    TokenRouter router(kSmall, std::vector<double>(16), 2);
    router.assign(logits);
    return router.selections().size();
  };
  EXPECT_EQ(selections_at(0.9 * kScoreMargin), 2U);
  EXPECT_EQ(selections_at(1.1 * kScoreMargin), 1U);
}

TEST(MoeRouting, WithTooManyTiesTheLowestIndicesAreRight) {
  TokenRouter contest_router(kContest, std::vector<double>(256), 1);
  contest_router.assign(std::vector<float>(256, 0.5F));
  const auto selections = contest_router.selections();
  ASSERT_EQ(selections.size(), 1U);
  EXPECT_THAT(experts_of(selections[0]), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(MoeRouting, ALogitThatIsNoNumberIsTheLeast) {
  std::vector<float> logits = example_logits();
  logits[0] = std::nanf("");
  TokenRouter router(kSmall, std::vector<double>(16), 2);
  router.assign(logits);
  EXPECT_THAT(experts_of(router.nominal()), testing::Not(testing::Contains(0U)));
}

/// The same by sorting everything, with the other formula of the sigmoid; a mask as in the definition.
Selection by_full_sort(const Dimensions& d, std::span<const float> logits, const std::vector<double>& bias,
                       double factor) {
  std::vector<double> sigmoids;
  std::vector<double> scores;
  for (std::size_t e = 0; e < d.experts; ++e) {
    sigmoids.push_back(0.5 + 0.5 * std::tanh(0.5 * static_cast<double>(logits[e])));
    scores.push_back(sigmoids[e] + bias[e]);
  }
  const auto ranking = [](const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto x, auto y) { return values[x] > values[y]; });
    return order;
  };
  std::vector<double> of_group;
  for (std::size_t group = 0; group < d.groups; ++group) {
    std::vector<double> members(scores.begin() + static_cast<std::ptrdiff_t>(group * d.group_size()),
                                scores.begin() + static_cast<std::ptrdiff_t>((group + 1) * d.group_size()));
    std::sort(members.begin(), members.end(), std::greater<>());
    of_group.push_back(members[0] + members[1]);
  }
  const auto groups = ranking(of_group);
  for (std::size_t i = d.kept_groups; i < d.groups; ++i) {
    std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(groups[i] * d.group_size()), d.group_size(),
                static_cast<double>(-std::numeric_limits<float>::max()));
  }
  auto order = ranking(scores);
  order.resize(d.top_k);
  std::sort(order.begin(), order.end());
  double sum = 1e-20;
  for (const std::size_t e : order) {
    sum += sigmoids[e];
  }
  Selection selection;
  for (const std::size_t e : order) {
    selection.push_back({e, factor * (sigmoids[e] / sum)});
  }
  return selection;
}

TEST(MoeRouting, AgreesWithAFullSort) {
  for (const Dimensions& d : {kSmall, kContest}) {
    for (const Kind kind : {Kind::moderate_gates, Kind::negative_scores, Kind::biased_choice, Kind::close_margins,
                            Kind::hot_group, Kind::one_expert, Kind::no_local_expert}) {
      base::Philox random(5, static_cast<std::uint64_t>(kind));
      const std::size_t tokens = 40;
      const RouterInputs inputs = draw_stress_routing(d, kind, tokens, 0, random);
      const auto logits = std::as_bytes(std::span(inputs.logits));
      const auto bias = std::as_bytes(std::span(inputs.bias));
      const Routing routing = route(d, logits, bias, 0, 2.5);
      EXPECT_TRUE(routing.ambiguous.empty()) << kStressKinds[static_cast<std::size_t>(kind)].name;
      for (std::size_t t = 0; t < tokens; ++t) {
        const Selection wanted =
            by_full_sort(d, std::span(inputs.logits).subspan(t * d.experts, d.experts), read_bias(bias), 2.5);
        for (std::size_t i = 0; i < d.top_k; ++i) {
          const Choice& got = routing.nominal[t * d.top_k + i];
          ASSERT_EQ(got.expert, wanted[i].expert) << kStressKinds[static_cast<std::size_t>(kind)].name;
          ASSERT_NEAR(got.weight, wanted[i].weight, 1e-12);
        }
      }
    }
  }
}

TEST(MoeRouting, AmbiguityThatNoLocalExpertSeesIsNone) {
  std::vector<float> logits = example_logits();
  logits[7] = logits[5];
  const std::vector<std::uint16_t> bias(16);
  const auto route_at = [&](std::int64_t offset) {
    return route(kSmall, std::as_bytes(std::span(logits)), std::as_bytes(std::span(bias)), offset, 1);
  };
  EXPECT_TRUE(route_at(8).ambiguous.empty());
  const Routing routing = route_at(4);
  ASSERT_EQ(routing.ambiguous.size(), 1U);
  EXPECT_EQ(routing.ambiguous[0].token, 0U);
  EXPECT_THAT(routing.ambiguous[0].local_experts, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(active_experts(kSmall, routing, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(active_experts(kSmall, route_at(0), 0), ElementsAre(0));
  // The other choice is the same experts here, but changes the sum that divides: here it does not, yet it is listed.
  EXPECT_EQ(route_at(0).ambiguous.size(), 1U);
}

TEST(MoeRouting, LocalIndices) {
  EXPECT_EQ(local_index(kSmall, 4, 4), 0U);
  EXPECT_EQ(local_index(kSmall, 7, 4), 3U);
  EXPECT_EQ(local_index(kSmall, 8, 4), 4U) << "not here";
  EXPECT_EQ(local_index(kSmall, 3, 4), 4U);
  EXPECT_EQ(local_index(kSmall, 0, -2), 2U);
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
