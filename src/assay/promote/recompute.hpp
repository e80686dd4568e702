#pragma once

#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/stats/paired_samples.hpp>
#include <assay/stats/self_comparison.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::promote {

/// The decision rule that a plan describes. The judge has its own (measure/summary.hpp): neither may lean on the other.
[[nodiscard]] stats::PairedRule rule_of(const task::SessionPlan& plan);

/// Recomputes a comparison (a gate or a sweep) from its raw samples under the request's plan, and holds what the judge
/// said against it. Samples that were timed otherwise than the request asked are an input error ("promote.clock"). A
/// correct outcome that the samples contradict, numbers that differ, and samples that do not belong
/// to the request are internal errors ("promote.disagreement", "promote.samples") that say where. Missing cells are no
/// error: the result is not complete and concludes nothing. For an outcome that is not correct only the samples'
/// indices are checked.
[[nodiscard]] base::Result<stats::PairedComparison> recompute(const task::EvaluationRequest& request,
                                                              const task::Evaluation& evaluation,
                                                              const std::vector<task::Sample>& samples);

/// Recomputes the incumbent's comparison with itself from the same samples; nothing where the plan does not ask for it. A
/// plan that asks and samples that have none make a noise floor that no gain is above.
[[nodiscard]] base::Result<std::optional<stats::SelfComparison>> recompute_self(
    const task::EvaluationRequest& request, const std::vector<task::Sample>& samples);

}  // namespace assay::promote
