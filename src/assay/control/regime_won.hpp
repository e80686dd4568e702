#pragma once

#include <string>
#include <vector>

#include <assay/promote/representatives.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/workload.hpp>

namespace assay::control {

/// The name of the regime in which an evaluation measured the largest sure gain over the incumbent: by the bound of a
/// workload's interval that is nearer to none. Empty: no workload surely gained.
[[nodiscard]] std::string regime_won(const task::Evaluation& evaluation, const std::vector<task::Workload>& workloads,
                                     const std::vector<promote::Regime>& regimes);

}  // namespace assay::control
