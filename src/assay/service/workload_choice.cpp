#include <assay/service/workload_choice.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/base/text.hpp>
#include <assay/promote/representatives.hpp>

namespace assay::service {
namespace {

constexpr std::size_t kShortestUuid = 4;

double size_of(const task::Workload& workload) {
  double size = 1;
  for (const auto& [name, value] : workload.axes) {
    size *= static_cast<double>(value);
  }
  return size;
}

// One latency a workload of this side, by UUID; nullopt unless all are there.
std::optional<std::vector<double>> latencies(const task::Evaluation& evaluation, task::Side side,
                                             const std::vector<task::Workload>& workloads) {
  std::vector<double> result;
  for (const task::Workload& workload : workloads) {
    const auto timing = std::find_if(evaluation.timings.begin(), evaluation.timings.end(),
                                     [&](const task::WorkloadTiming& t) { return t.uuid == workload.uuid; });
    if (timing == evaluation.timings.end()) {
      return std::nullopt;
    }
    const auto& value = side == task::Side::candidate ? timing->candidate_ns : timing->incumbent_ns;
    if (!value || !(*value > 0)) {
      return std::nullopt;
    }
    result.push_back(*value);
  }
  return result;
}

base::Result<task::Workload> by_uuid(const std::vector<task::Workload>& workloads, const std::string& uuid) {
  const task::Workload* found = nullptr;
  for (const task::Workload& workload : workloads) {
    if (workload.uuid == uuid) {
      return workload;
    }
    if (uuid.size() >= kShortestUuid && workload.uuid.compare(0, uuid.size(), uuid) == 0) {
      if (found != nullptr) {
        return base::input_error("workload.ambiguous", fmt::format("workload \"{}\" could be {} or {}; give more of it",
                                                                   base::printable(uuid), found->uuid, workload.uuid));
      }
      found = &workload;
    }
  }
  if (found == nullptr) {
    return base::input_error(
        "workload.unknown",
        fmt::format("there is no workload \"{}\"; give \"gate\", \"all\", or UUIDs of the definition's {} workloads "
                    "(the first is {})",
                    base::printable(uuid), workloads.size(), workloads.empty() ? "none" : workloads.front().uuid));
  }
  return *found;
}

}  // namespace

base::Result<std::optional<std::vector<double>>> measured_latencies(const archive::Archive& archive,
                                                                    const task::Solution& solution,
                                                                    const std::string& device,
                                                                    const base::Timing& timing,
                                                                    const std::vector<task::Workload>& workloads) {
  const base::Digest digest = task::identify(solution).content;
  ASSAY_TRY_ASSIGN(const std::vector<archive::EvaluationSummary> summaries, archive.evaluations("", ""));
  for (auto summary = summaries.rbegin(); summary != summaries.rend(); ++summary) {
    const bool is_candidate = summary->candidate == digest;
    if (summary->device != device || !task::is_correct(summary->outcome) ||
        (summary->stage != task::Stage::measure && summary->stage != task::Stage::sweep) ||
        (!is_candidate && summary->incumbent != digest)) {
      continue;
    }
    ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(summary->id));
    if (evaluation && task::timing_of(*evaluation) == timing) {
      auto found = latencies(*evaluation, is_candidate ? task::Side::candidate : task::Side::incumbent, workloads);
      if (found) {
        return found;
      }
    }
  }
  return std::nullopt;
}

std::vector<std::size_t> spread_over_axes(const std::vector<task::Workload>& workloads, std::size_t count) {
  std::vector<std::size_t> sizes;  // The first workload of each size.
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const bool seen = std::any_of(sizes.begin(), sizes.end(),
                                  [&](std::size_t j) { return size_of(workloads[j]) == size_of(workloads[i]); });
    if (!seen) {
      sizes.push_back(i);
    }
  }
  // All sizes differ, so any order of equals will do.
  std::sort(sizes.begin(), sizes.end(),
            [&](std::size_t a, std::size_t b) { return size_of(workloads[a]) < size_of(workloads[b]); });
  if (sizes.size() <= count) {
    return sizes;
  }
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(sizes[i * sizes.size() / count]);
  }
  return chosen;
}

base::Result<std::vector<task::Workload>> choose_workloads(const std::vector<task::Workload>& workloads,
                                                           const std::string& choice, int gate_count,
                                                           const std::optional<std::vector<double>>& baseline_ns) {
  if (workloads.empty()) {
    return base::input_error("workload.none", "the definition has no workloads in this dataset");
  }
  if (choice == "all") {
    return workloads;
  }
  const auto count = static_cast<std::size_t>(std::max(gate_count, 1));
  std::vector<task::Workload> chosen;
  if (choice == "gate" && baseline_ns) {
    for (const promote::Regime& regime : promote::choose_representatives(workloads, *baseline_ns, count)) {
      chosen.push_back(workloads[regime.representative]);
    }
    return chosen;
  }
  if (choice == "gate") {
    for (const std::size_t index : spread_over_axes(workloads, count)) {
      chosen.push_back(workloads[index]);
    }
    return chosen;
  }
  for (const std::string& part : base::split(choice, ',')) {
    ASSAY_TRY_ASSIGN(task::Workload workload, by_uuid(workloads, std::string(base::trim(part))));
    const bool repeated = std::any_of(chosen.begin(), chosen.end(),
                                      [&](const task::Workload& other) { return other.uuid == workload.uuid; });
    if (repeated) {
      return base::input_error("workload.repeated", fmt::format("workload {} is named twice", workload.uuid));
    }
    chosen.push_back(std::move(workload));
  }
  return chosen;
}

}  // namespace assay::service
