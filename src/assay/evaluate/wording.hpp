#pragma once

#include <optional>
#include <string>

#include <assay/stats/self_comparison.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// One sentence each, for a person, about a correct candidate. Speedups are incumbent time over candidate time.
[[nodiscard]] std::string correct_text(const task::Evaluation& evaluation, const task::EvaluationRequest& request);
[[nodiscard]] std::string comparison_text(const task::Comparison& comparison, const task::EvaluationRequest& request);
[[nodiscard]] std::string not_better_text(const task::Comparison& comparison, const task::EvaluationRequest& request);
/// Of a gain that the judge's own clock does not confirm, or denies.
[[nodiscard]] std::string unconfirmed_text(const task::Comparison& comparison, const task::EvaluationRequest& request);
[[nodiscard]] std::string contradicted_text(const task::Comparison& comparison, const task::EvaluationRequest& request);
/// What the incumbent against its own copy says against a comparison's conclusion: "inside_noise" or "void_session".
[[nodiscard]] std::optional<task::Finding> noise_finding(stats::Standing standing, const task::Comparison& comparison,
                                                         const task::EvaluationRequest& request);
[[nodiscard]] std::string undecided_text(const task::Comparison& comparison, const task::EvaluationRequest& request);

/// "batch_size 1"
[[nodiscard]] std::string axes_text(const task::Workload& workload);
/// "901e5104: batch_size 1"
[[nodiscard]] std::string describe(const task::Workload& workload);

}  // namespace assay::evaluate
