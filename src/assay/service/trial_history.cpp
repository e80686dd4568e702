#include <assay/service/trial_history.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <assay/base/random.hpp>
#include <assay/base/text.hpp>

namespace assay::service {
namespace {

std::set<std::string> lines_of_code(const task::Solution& solution) {
  std::set<std::string> lines;
  for (const task::SourceFile& source : solution.sources) {
    for (const std::string& line : base::split(source.content, '\n')) {
      const std::size_t from = line.find_first_not_of(" \t\r");
      // A brace alone, or a comment, is in everybody's code.
      if (from != std::string::npos && line.find_first_not_of("{}();, \t\r") != std::string::npos &&
          line.compare(from, 2, "//") != 0) {
        lines.insert(line.substr(from, line.find_last_not_of(" \t\r") + 1 - from));
      }
    }
  }
  return lines;
}

bool are_siblings(const std::set<std::string>& one, const std::set<std::string>& other) {
  const auto shared =
      std::count_if(one.begin(), one.end(), [&other](const auto& line) { return other.count(line) > 0; });
  const std::size_t fewer = std::min(one.size(), other.size());
  return fewer > 0 && 2 * static_cast<std::size_t>(shared) >= fewer;
}

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

base::Result<Counts> counts_of(const archive::Archive& archive, const task::Evaluation& evaluation) {
  Counts counts;
  const bool failed = !evaluation.findings.empty() && !task::is_correct(evaluation.outcome);
  if (!evaluation.trials && !failed) {
    return counts;
  }
  ASSAY_TRY_ASSIGN(const task::EvaluationRequest request, archive.request(evaluation.id));
  const std::vector<task::Workload>& workloads = request.workloads;
  if (evaluation.trials) {
    const std::vector<std::int64_t>& on = evaluation.trials->on_workloads;
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      counts[workloads[i].uuid].trials += i < on.size() ? on[i] : evaluation.trials->on_each;
    }
  }
  if (failed) {
    const task::Finding& finding = evaluation.findings.front();
    if (finding.side == task::Side::candidate && finding.workload && *finding.workload >= 0 &&
        static_cast<std::size_t>(*finding.workload) < workloads.size()) {
      stats::TrialCount& count = counts[workloads[static_cast<std::size_t>(*finding.workload)].uuid];
      ++count.failures;
      count.trials = std::max(count.trials, count.failures);
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
  const std::set<std::string> own_lines = lines_of_code(candidate);
  const base::Digest own = task::identify(candidate).content;
  std::map<base::Digest, bool> sibling;
  ASSAY_TRY_ASSIGN(const auto candidates, archive.candidates(definition.name));
  for (const archive::StoredCandidate& other : candidates) {
    sibling[other.identity.content] = are_siblings(own_lines, lines_of_code(other.solution));
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

std::vector<int> allocate_trials(const std::vector<stats::ReplayStratum>& strata, int budget) {
  const bool failures = std::any_of(strata.begin(), strata.end(), [](const stats::ReplayStratum& stratum) {
    return stratum.of_operator.failures + stratum.of_siblings.failures > 0;
  });
  if (!failures || budget < static_cast<int>(strata.size())) {
    return {};
  }
  std::vector<int> counts(strata.size(), 1);
  base::Philox random(0, base::stream_id("service.allocate_trials"));
  const auto rest = static_cast<std::size_t>(budget) - strata.size();
  for (const stats::ReplayTrial& trial : stats::plan_replay(strata, rest, {}, random)) {
    ++counts[trial.stratum];
  }
  return counts;
}

}  // namespace assay::service
