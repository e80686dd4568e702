#include <assay/evaluate/session_stages.hpp>

namespace assay::evaluate {

bool has_single_inputs(const task::EvaluationRequest& request) {
  return request.plan.stress_trials > 0 || !request.replays.empty();
}

bool has_trials(const task::EvaluationRequest& request, task::TrialsTurn turn) {
  return request.trials > 0 && request.trials_turn == turn;
}

int workers_of_a_pair(const task::EvaluationRequest& request) {
  return !request.incumbent ? 1 : request.plan.self_comparison ? 4 : 2;
}

int workers_surely_needed(const task::EvaluationRequest& request, const operators::Operator& op) {
  return workers_of_a_pair(request) * request.plan.minimum_pairs + (has_single_inputs(request) ? 1 : 0) +
         (request.plan.stress_trials > 0 && op.chain() ? 1 : 0) + (request.official_trials > 0 ? 1 : 0) +
         (has_trials(request, task::TrialsTurn::before_timing) ? 1 : 0);
}

}  // namespace assay::evaluate
