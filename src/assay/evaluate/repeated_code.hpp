#pragma once

#include <optional>

#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// Says, after the builds and before anything is timed, which earlier machine code the candidate repeats, if the request
/// does not want such a candidate measured: a known candidate's, or the incumbent's. The incumbent itself, byte for byte,
/// repeats nothing: whoever asks for that wants it timed against itself.
[[nodiscard]] std::optional<task::Finding> repeated_code(const task::Evaluation& evaluation,
                                                         const task::EvaluationRequest& request);

/// Says what a comparison came to whose two sides are one machine code: A/A data, whatever the numbers are.
[[nodiscard]] task::Finding self_comparison_finding(const task::Comparison& comparison,
                                                    const task::EvaluationRequest& request);

}  // namespace assay::evaluate
