#pragma once

#include <chrono>

#include <assay/task/request.hpp>

namespace assay::execute {

/// The longest that any request may take.
inline constexpr std::chrono::hours kLongestJudgement{12};
/// How long generating and writing one workload may take: a slow disk, not a computation.
inline constexpr std::chrono::hours kLongestMaterialisation{1};

/// Returns how long a judge may take for a request: a judge that keeps to the request's own limits needs less, so one
/// that takes longer hangs. Twice the sum of
///   builds            solutions × build limit, twice (the toolchain's probe and the build)
///   worker starts     most pairs × solutions × load limit
///   calls             most pairs × solutions × workloads × (samples + 1 warm-up) × call limit, twice: the call, and
///                     generating its inputs, the reference and the comparison
/// and a minute, at most kLongestJudgement; kLongestMaterialisation for a materialise request. Limits that are not
/// positive count as nothing. Pure.
[[nodiscard]] std::chrono::nanoseconds judgement_limit(const task::EvaluationRequest& request);

}  // namespace assay::execute
