#include <assay/control/requests.hpp>

#include <algorithm>

#include <assay/base/random.hpp>
#include <assay/control/next_action.hpp>
#include <assay/stats/online_levels.hpp>

namespace assay::control {
namespace {

// The baseline has nobody to be compared with: two pairs show how far placement moves it, and that is enough.
task::SessionPlan baseline_plan(const task::SessionPlan& sweep) {
  task::SessionPlan plan = sweep;
  plan.minimum_pairs = 2;
  plan.maximum_pairs = 2;
  plan.call_limit *= task::kPatienceWithTheKnown;
  return plan;
}

// What one sweep may spend of the policy's alpha: a campaign asks the question many times. Only evidence can be held against
// a level that depends on the sweeps before.
double share_of_alpha(const CampaignState& state, const PendingEvaluation& target, const task::SessionPlan& plan) {
  if (plan.test != task::PairedTest::evidence) {
    return plan.alpha;
  }
  int swept = 0;
  int promoted = 0;
  for (const CandidateState& other : state.candidates) {
    if (other.number != target.candidate && other.decision) {
      ++swept;
      promoted += other.decision->verdict == promote::Decision::Verdict::promote ? 1 : 0;
    }
  }
  return stats::online_level(plan.alpha, swept + 1, promoted);
}

}  // namespace

int compared_with(const CampaignState& state, Purpose purpose) {
  return purpose == Purpose::gate || purpose == Purpose::sweep ? state.incumbent_number() : 0;
}

task::EvaluationRequest make_request(const CampaignConfiguration& configuration, const CampaignState& state,
                                     const PendingEvaluation& target, task::Solution candidate,
                                     task::Solution incumbent) {
  task::EvaluationRequest request;
  request.id = target.evaluation;
  request.device = configuration.device;
  if (const auto seed = simulated_seed(configuration.device)) {
    // From the id of the first attempt: what is tried again must measure the same.
    request.seed =
        base::mix(*seed, base::stream_id(evaluation_id(configuration.name, target.purpose, target.candidate, 1)));
  }
  request.definition = configuration.definition;
  request.workloads = configuration.workloads;
  request.candidate = std::move(candidate);
  switch (target.purpose) {
    case Purpose::baseline:
      request.stage = task::Stage::measure;
      request.plan = baseline_plan(promote::plan_on(configuration.device, configuration.policy.sweep));
      return request;
    case Purpose::gate:
      request.stage = task::Stage::gate;
      request.plan = promote::plan_on(configuration.device, configuration.policy.gate);
      request.workloads.clear();
      for (const promote::Regime& regime : state.regimes) {
        request.workloads.push_back(configuration.workloads[regime.representative]);
      }
      break;
    case Purpose::sweep:
    case Purpose::confirmation:
      request.stage = task::Stage::sweep;
      request.plan = promote::plan_on(configuration.device, configuration.policy.sweep);
      if (configuration.policy.replay.trials > 0) {
        request.trials = configuration.policy.replay.trials;
        request.trials_turn = task::TrialsTurn::after_gain;
      }
      if (target.purpose == Purpose::sweep) {
        request.plan.alpha = share_of_alpha(state, target, request.plan);
      }
      break;
  }
  request.incumbent = std::move(incumbent);
  return request;
}

}  // namespace assay::control
