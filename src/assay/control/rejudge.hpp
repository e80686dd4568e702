#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::control {

/// What a judge left: the question, the answer and the raw samples.
struct Judgement {
  task::EvaluationRequest request;
  task::Evaluation evaluation;
  std::vector<task::Sample> samples;
};

/// Answers another question with what was measured for a first: the same two solutions on the same workloads, judged by
/// another plan. Samples beyond what the plan asks for are left out, and what they say is decided by its rule. A failed
/// candidate stays failed. An input error "replay.unmeasured" says in words what the plan would have measured more: a pair,
/// a trial, another clock. Limits of time and of the sandbox stay as they were.
[[nodiscard]] base::Result<Judgement> rejudge(const Judgement& measured, const task::EvaluationRequest& asked);

}  // namespace assay::control
