#pragma once

#include <vector>

#include <assay/task/request.hpp>

namespace assay::task {

/// How many trials each workload of a request gets, in their order: as the request says, or equally many, so that all of
/// them together are no fewer than it asks for. The judge makes these, and who holds its record against the request counts
/// them.
[[nodiscard]] std::vector<int> spread_trials(const EvaluationRequest& request);

}  // namespace assay::task
