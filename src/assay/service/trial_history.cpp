#include <assay/service/trial_history.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <assay/base/random.hpp>
#include <assay/service/siblings.hpp>
#include <assay/stats/failure_words.hpp>

namespace assay::service {
namespace {

// "batch_size 3, pages 6" for 8..15 and 64..127.
std::string regime_name(const task::Workload& workload) {
  std::string name;
  for (const auto& [axis, value] : workload.axes) {
    name += axis + " " + std::to_string(value > 0 ? std::ilogb(static_cast<double>(value)) : -1) + ", ";
  }
  return name;
}

// What one evaluation adds, by the UUID of its workloads.
using Counts = std::map<std::string, stats::TrialCount>;

// The workload on which the candidate failed, if it was one of those in use.
std::string failed_on(const task::Evaluation& evaluation, const std::vector<task::Workload>& workloads) {
  if (!evaluation.failing_inputs.empty()) {
    const task::FailingInput& input = evaluation.failing_inputs.front();
    return input.stress_kind ? std::string() : input.workload.uuid;
  }
  // Evaluations of before inputs were kept, and failures without an input, say it in their finding.
  const task::Finding& finding = evaluation.findings.front();
  const bool known = finding.side == task::Side::candidate && finding.workload && *finding.workload >= 0 &&
                     static_cast<std::size_t>(*finding.workload) < workloads.size();
  return known ? workloads[static_cast<std::size_t>(*finding.workload)].uuid : std::string();
}

base::Result<Counts> counts_of(const archive::Archive& archive, const task::Evaluation& evaluation) {
  Counts counts;
  const bool failed = !evaluation.findings.empty() && !task::is_correct(evaluation.outcome);
  if (!evaluation.trials && evaluation.clean_on_workloads.empty() && !failed) {
    return counts;
  }
  ASSAY_TRY_ASSIGN(const task::EvaluationRequest request, archive.request(evaluation.id));
  const std::vector<task::Workload>& workloads = request.workloads;
  const std::vector<std::int64_t> clean = task::clean_trials(evaluation, workloads.size());
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    counts[workloads[i].uuid].trials += clean[i];
  }
  if (failed) {
    if (const std::string uuid = failed_on(evaluation, workloads); !uuid.empty()) {
      stats::TrialCount& count = counts[uuid];
      ++count.failures;
      ++count.trials;
    }
  }
  return counts;
}

}  // namespace

base::Result<std::vector<stats::ReplayStratum>> trial_history(const archive::Archive& archive,
                                                              const task::Definition& definition,
                                                              const std::vector<task::Workload>& workloads,
                                                              const task::Solution& candidate) {
  std::vector<stats::ReplayStratum> strata(workloads.size());
  std::map<std::string, std::size_t> regimes;
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    strata[i].regime = regimes.emplace(regime_name(workloads[i]), regimes.size()).first->second;
    place[workloads[i].uuid] = i;
  }
  const Siblings siblings(candidate);
  const base::Digest own = task::identify(candidate).content;
  std::map<base::Digest, bool> sibling;
  ASSAY_TRY_ASSIGN(const auto candidates, archive.candidates(definition.name));
  for (const archive::StoredCandidate& other : candidates) {
    sibling[other.identity.content] = siblings.include(other.solution);
  }
  ASSAY_TRY_ASSIGN(auto summaries, archive.evaluations("", ""));
  std::erase_if(summaries,
                [&](const auto& summary) { return summary.definition != definition.name || summary.candidate == own; });
  const std::size_t left_out = summaries.size() - std::min<std::size_t>(summaries.size(), kHistoryEvaluations);
  for (std::size_t i = left_out; i < summaries.size(); ++i) {
    ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(summaries[i].id));
    if (!evaluation) {
      continue;  // It went between the two questions.
    }
    ASSAY_TRY_ASSIGN(const Counts counts, counts_of(archive, *evaluation));
    for (const auto& [uuid, count] : counts) {
      if (const auto found = place.find(uuid); found != place.end()) {
        stats::ReplayStratum& stratum = strata[found->second];
        stats::TrialCount& total = sibling[summaries[i].candidate] ? stratum.of_siblings : stratum.of_operator;
        total.trials += count.trials;
        total.failures += count.failures;
      }
    }
  }
  return strata;
}

std::vector<int> allocate_trials(const std::vector<stats::ReplayStratum>& strata, int budget, double failure_bound) {
  constexpr double kStep = 0.2;
  const bool failures = std::any_of(strata.begin(), strata.end(), [](const stats::ReplayStratum& stratum) {
    return stratum.of_operator.failures + stratum.of_siblings.failures > 0;
  });
  if (!failures || budget < static_cast<int>(strata.size())) {
    return {};
  }
  const auto rest = static_cast<std::size_t>(budget) - strata.size();
  for (int step = 1;; ++step) {
    stats::ReplayOptions options;
    options.even_share = std::min(1.0, kStep * step);
    std::vector<std::int64_t> counts(strata.size(), 1);
    base::Philox random(0, base::stream_id("service.allocate_trials"));
    for (const stats::ReplayTrial& trial : stats::plan_replay(strata, rest, options, random)) {
      ++counts[trial.stratum];
    }
    if (options.even_share >= 1 || stats::bound_clean_trials(counts).in_use <= failure_bound) {
      return {counts.begin(), counts.end()};
    }
  }
}

}  // namespace assay::service
