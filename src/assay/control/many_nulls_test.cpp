#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <assay/control/campaign.hpp>
#include <assay/control/sample_campaign.hpp>
#include <assay/promote/decision.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/stats/online_levels.hpp>
#include <assay/stats/paired_samples.hpp>

/// Two hundred candidates of which none is faster than the baseline, and a gate that lets nearly every other one pass:
/// what keeps them from being promoted is the level of the sweeps alone.
namespace assay::control {
namespace {

using testing::Laboratory;
using testing::must;

constexpr int kNulls = 200;
constexpr int kCampaigns = 5;
constexpr double kAlpha = 0.2;

CampaignConfiguration nulls_only(int campaign) {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.device = fmt::format("simulated:{}", campaign);
  configuration.workloads.resize(2);
  configuration.rounds = 0;
  configuration.supplied.clear();
  for (int number = 1; number <= kNulls; ++number) {
    configuration.supplied.push_back(
        testing::sample_solution(fmt::format("null-{}", number), fmt::format("y = null_{}(x);\n", number)));
  }
  promote::Policy& policy = configuration.policy;
  policy.sweeps_per_round = kNulls;
  policy.maximum_mean_regression = 1;
  policy.gate.minimum_pairs = policy.gate.maximum_pairs = 2;
  policy.gate.samples_per_pair = policy.sweep.samples_per_pair = 1;
  policy.gate.alpha = 0.9;
  policy.gate.futility = policy.sweep.futility = 0;
  policy.gate.minimum_effect = policy.sweep.minimum_effect = 0;
  policy.sweep.test = task::PairedTest::evidence;
  policy.sweep.alpha = kAlpha;
  policy.sweep.minimum_pairs = 2;
  policy.sweep.maximum_pairs = 10;
  return configuration;
}

// Whether the samples of a sweep would have been enough, had it been the only one of the campaign.
bool wins_alone(const task::EvaluationRequest& request, const std::vector<task::Sample>& samples) {
  task::SessionPlan plan = request.plan;
  plan.alpha = kAlpha;
  std::vector<stats::PairedSample> timed;
  int pairs = 0;
  for (const task::Sample& sample : samples) {
    if (sample.repetition > 0) {
      timed.push_back(
          {sample.pair, sample.workload, sample.side == task::Side::candidate, static_cast<double>(sample.elapsed_ns)});
      pairs = std::max(pairs, sample.pair + 1);
    }
  }
  return stats::compare_pairs(timed, pairs, static_cast<int>(request.workloads.size()), promote::rule_of(plan),
                              plan.maximum_regression)
             .conclusion == stats::PairedConclusion::better;
}

TEST(ManyNulls, ArePromotedInNoMoreCampaignsThanTheErrorAllows) {
  int campaigns_with_a_promotion = 0;
  int sweeps = 0;
  int alone = 0;
  for (int campaign = 1; campaign <= kCampaigns; ++campaign) {
    Laboratory laboratory(nulls_only(campaign));
    const CampaignState state = must(laboratory.run());
    ASSERT_EQ(state.phase, Phase::finished);
    campaigns_with_a_promotion += state.incumbent || !state.confirmations.empty() ? 1 : 0;
    int tested = 0;
    int promoted = 0;
    for (const task::EvaluationRequest& asked : laboratory.evaluator().requests) {
      if (asked.id.find("-sweep-") == std::string::npos) {
        continue;
      }
      // The level is the next of the campaign's sequence; it is archived with the request, which decisions are
      // recomputed from.
      const task::EvaluationRequest request = must(laboratory.archive().request(asked.id));
      EXPECT_DOUBLE_EQ(request.plan.alpha, stats::online_level(kAlpha, ++tested, promoted)) << asked.id;
      const std::vector<task::Sample> samples = must(laboratory.archive().samples(asked.id));
      const auto evaluation = must(laboratory.archive().evaluation(asked.id));
      const auto decision = must(promote::decide(request, *evaluation, samples, nulls_only(campaign).policy));
      promoted += decision.verdict == promote::Decision::Verdict::promote ? 1 : 0;
      alone += wins_alone(request, samples) ? 1 : 0;
    }
    sweeps += tested;
  }
  EXPECT_GT(sweeps, kCampaigns * kNulls / 5) << "or the sweeps were never put to the test";
  EXPECT_GT(alone, kCampaigns) << "without the sequence, more false winners than campaigns";
  // The expected share is kAlpha / 2. Three of five would be a chance of one in a hundred.
  EXPECT_LE(campaigns_with_a_promotion, 2) << "of " << kCampaigns;
  RecordProperty("sweeps", sweeps);
  RecordProperty("promoted_in_campaigns", campaigns_with_a_promotion);
  RecordProperty("would_have_won_alone", alone);
}

TEST(ManyNulls, ARealGainIsStillFoundAfterThem) {
  CampaignConfiguration configuration = nulls_only(9);
  configuration.supplied.resize(40);
  configuration.rounds = 1;
  configuration.tunable = testing::sample_solution("late", "y = late(x, BLOCK, UNROLL);\n");
  configuration.tunable->tuning = task::Tuning{{{"BLOCK", {4}}, {"UNROLL", {2}}}, {}};
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  ASSERT_TRUE(state.incumbent);
  EXPECT_EQ(state.candidate(*state.incumbent).name.substr(0, 4), "late");
  EXPECT_GT(state.candidate(*state.incumbent).decision->pairs, configuration.policy.sweep.maximum_pairs)
      << "its level was out of reach of the policy's own pairs";
}

}  // namespace
}  // namespace assay::control
