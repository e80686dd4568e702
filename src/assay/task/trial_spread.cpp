#include <assay/task/trial_spread.hpp>

namespace assay::task {

std::vector<int> spread_trials(const EvaluationRequest& request) {
  if (!request.trials_on.empty() || request.workloads.empty()) {
    return request.trials_on;
  }
  const auto workloads = static_cast<int>(request.workloads.size());
  return std::vector<int>(request.workloads.size(), (request.trials + workloads - 1) / workloads);
}

}  // namespace assay::task
