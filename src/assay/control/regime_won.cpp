#include <assay/control/regime_won.hpp>

#include <algorithm>

namespace assay::control {

std::string regime_won(const task::Evaluation& evaluation, const std::vector<task::Workload>& workloads,
                       const std::vector<promote::Regime>& regimes) {
  double best = 0;
  std::string name;
  for (const task::WorkloadTiming& timing : evaluation.timings) {
    if (timing.log_ratio_upper.value_or(0) >= best) {
      continue;
    }
    const auto workload = std::find_if(workloads.begin(), workloads.end(),
                                       [&](const task::Workload& one) { return one.uuid == timing.uuid; });
    const auto index = static_cast<std::size_t>(workload - workloads.begin());
    const auto regime = std::find_if(regimes.begin(), regimes.end(), [&](const promote::Regime& one) {
      return std::find(one.members.begin(), one.members.end(), index) != one.members.end();
    });
    if (regime != regimes.end()) {
      best = *timing.log_ratio_upper;
      name = regime->name;
    }
  }
  return name;
}

}  // namespace assay::control
