#pragma once

#include <assay/operators/operator.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// What a session is made of beside its process pairs follows from its request alone: so the workers that it needs are
/// known before anything is built.

/// Difficult inputs, or some that were kept: calls on them share a process.
[[nodiscard]] bool has_single_inputs(const task::EvaluationRequest& request);

/// Trials, in this turn.
[[nodiscard]] bool has_trials(const task::EvaluationRequest& request, task::TrialsTurn turn);

/// How many a process pair takes, with that of the incumbent and its copy, if the plan has it timed against itself.
[[nodiscard]] int workers_of_a_pair(const task::EvaluationRequest& request);

/// How many are surely taken, unless something is wrong before: pairs beyond the least, and trials after a gain, come on top.
[[nodiscard]] int workers_surely_needed(const task::EvaluationRequest& request, const operators::Operator& op);

}  // namespace assay::evaluate
