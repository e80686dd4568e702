#pragma once

#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/build/builder.hpp>
#include <assay/evaluate/device_plan.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// A solution after its build, be it good or not.
struct BuiltSolution {
  build::BuildResult result;            ///< `record.tier` is set.
  std::optional<DevicePlan> plan;       ///< Of a device-only solution that was built.
  std::vector<task::Finding> findings;  ///< Why it was not built.
};

/// Builds a solution. Of a device-only one the plan is read first, and resolved for every workload of the request: one
/// that does not hold is "not built" without a compiler. Errors are those of Builder::build.
[[nodiscard]] base::Result<BuiltSolution> build_solution(const build::Builder& builder,
                                                         const task::EvaluationRequest& request,
                                                         const task::Solution& solution, task::Side side);

}  // namespace assay::evaluate
