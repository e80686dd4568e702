#include <assay/control/requests.hpp>

#include <algorithm>

#include <assay/base/random.hpp>
#include <assay/control/next_action.hpp>
#include <assay/stats/online_levels.hpp>
#include <assay/stats/symmetric_evidence.hpp>

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

// What one sweep may spend of the policy's alpha: a campaign asks the question many times. Only evidence can be held
// against a level that depends on the sweeps before. A smaller level takes more pairs, however large the gain: the cap
// grows by as many, or the sweeps of a long campaign could not end but undecided. The sweep of a null has what a
// candidate's would have.
void take_share_of_alpha(const CampaignState& state, const PendingEvaluation& target, task::SessionPlan& plan) {
  if (plan.test != task::PairedTest::evidence) {
    return;
  }
  int swept = 0;
  int promoted = 0;
  for (const CandidateState& other : state.candidates) {
    const bool its_own = target.purpose == Purpose::sweep && other.number == target.candidate;
    if (!its_own && other.decision) {
      ++swept;
      promoted += other.decision->verdict == promote::Decision::Verdict::promote ? 1 : 0;
    }
  }
  const int least = stats::least_values_for_evidence(plan.alpha);
  plan.alpha = stats::online_level(plan.alpha, swept + 1, promoted);
  plan.maximum_pairs += std::max(0, stats::least_values_for_evidence(plan.alpha) - least);
}

}  // namespace

int compared_with(const CampaignState& state, Purpose purpose) {
  return purpose == Purpose::baseline || purpose == Purpose::confirmation ? 0 : state.incumbent_number();
}

task::EvaluationRequest make_request(const CampaignConfiguration& configuration, const CampaignState& state,
                                     const PendingEvaluation& target, task::Solution candidate,
                                     task::Solution incumbent) {
  task::EvaluationRequest request;
  request.id = target.evaluation;
  request.device = configuration.device;
  if (const auto seed = simulated_seed(configuration.device)) {
    // From the id of the first attempt: what is tried again must measure the same. But a session that said nothing is
    // followed by another one.
    const int session = next_attempt(state, target.purpose, target.candidate) - state.failed_attempts;
    request.seed = base::mix(*seed, base::stream_id(evaluation_id(configuration.name, target.purpose, target.candidate,
                                                                  session + state.void_sessions)));
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
    case Purpose::null_gate:
    case Purpose::slower_gate:
      request.stage = task::Stage::gate;
      request.plan = promote::plan_on(configuration.device, configuration.policy.gate);
      request.workloads.clear();
      request.plan.maximum_pairs *= state.supervision.repeats_factor;
      for (const promote::Regime& regime : state.regimes) {
        request.workloads.push_back(configuration.workloads[regime.representative]);
      }
      if (target.purpose == Purpose::slower_gate) {
        // That it would not be promoted is known. Whether it is seen to be slower is the question: `not_better` means
        // that without a minimum effect, and that takes as many pairs as it takes. Beside such an effect any sound session
        // differs from itself now and then, so it is not asked to.
        request.plan.futility = 0;
        request.plan.minimum_effect = 0;
        request.plan.self_comparison = false;
      }
      break;
    case Purpose::sweep:
    case Purpose::confirmation:
    case Purpose::null_sweep:
      request.stage = task::Stage::sweep;
      request.plan = promote::plan_on(configuration.device, configuration.policy.sweep);
      if (configuration.policy.replay.trials > 0) {
        request.trials = configuration.policy.replay.trials;
        request.trials_turn = task::TrialsTurn::after_gain;
      }
      if (target.purpose != Purpose::confirmation) {
        take_share_of_alpha(state, target, request.plan);
      }
      break;
  }
  request.incumbent = std::move(incumbent);
  // A null is the incumbent's machine code by design: the question is whether the rule alone is fooled by it.
  request.judge_twin = target.purpose == Purpose::null_gate || target.purpose == Purpose::null_sweep;
  return request;
}

}  // namespace assay::control
