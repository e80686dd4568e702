#include <assay/promote/reported_interval.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

namespace assay::promote {
namespace {

// The two calls of a workload in one block, in nanoseconds; 0: missing.
struct Calls {
  double candidate = 0;
  double incumbent = 0;
};

std::optional<double> mean_log_ratio(const std::vector<Calls>& block) {
  double sum = 0;
  for (const Calls& calls : block) {
    if (!(calls.candidate > 0 && calls.incumbent > 0)) {
      return std::nullopt;
    }
    sum += std::log(calls.candidate / calls.incumbent);
  }
  return block.empty() ? std::nullopt : std::optional(sum / static_cast<double>(block.size()));
}

}  // namespace

std::vector<std::vector<double>> blocks_of(const task::EvaluationRequest& request,
                                           const std::vector<task::Sample>& samples) {
  const std::size_t workloads = request.workloads.size();
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Calls>> blocks;  // By pair and repetition.
  for (const task::Sample& sample : samples) {
    const auto workload = static_cast<std::size_t>(sample.workload);
    if (sample.repetition <= 0 || sample.self || sample.workload < 0 || workload >= workloads) {
      continue;
    }
    std::vector<Calls>& block = blocks[{sample.pair, sample.repetition}];
    block.resize(workloads);
    (sample.side == task::Side::candidate ? block[workload].candidate : block[workload].incumbent) =
        static_cast<double>(sample.elapsed_ns);
  }
  std::map<std::int32_t, std::vector<double>> pairs;
  for (const auto& [place, block] : blocks) {
    if (const std::optional<double> ratio = mean_log_ratio(block)) {
      pairs[place.first].push_back(*ratio);
    }
  }
  std::vector<std::vector<double>> result;
  result.reserve(pairs.size());
  for (auto& [pair, ratios] : pairs) {
    result.push_back(std::move(ratios));
  }
  return result;
}

std::optional<ReportedInterval> reported_interval(const stats::NestedRatios& sessions, double alpha) {
  stats::NestedRatios measured;
  std::size_t pairs = 0;
  for (const auto& session : sessions) {
    if (!session.empty()) {
      pairs += session.size();
      measured.push_back(session);
    }
  }
  if (pairs < 2) {
    return std::nullopt;
  }
  stats::BootstrapPlan plan;
  plan.alpha = alpha;
  const stats::BootstrapInterval interval = stats::hierarchical_bootstrap(measured, plan);
  return ReportedInterval{
      interval.estimate,      interval.lower, interval.upper, alpha, static_cast<int>(measured.size()),
      static_cast<int>(pairs)};
}

}  // namespace assay::promote
