#pragma once

#include <assay/base/error.hpp>
#include <assay/evaluate/judged.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// Judges one request: builds, runs process pairs until the plan's rule decides or its cap is reached, and makes the
/// verdict. Whatever the candidate does is an outcome; an error is a request that makes no sense, an incumbent that
/// does not pass, or a machine that fails.
[[nodiscard]] base::Result<Judged> judge_request(const task::EvaluationRequest& request, const JudgeSettings& settings);

}  // namespace assay::evaluate
