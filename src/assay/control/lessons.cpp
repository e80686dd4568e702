#include <assay/control/lessons.hpp>

#include <cmath>
#include <optional>

#include <assay/control/requests.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/stats/paired_decision.hpp>

namespace assay::control {
namespace {

// Which of the request's workloads a regime has: its representative at a gate, all its members in a sweep.
std::vector<std::size_t> workloads_of(const CampaignState& state, const PendingEvaluation& target,
                                      const std::string& regime) {
  for (std::size_t i = 0; i < state.regimes.size(); ++i) {
    if (state.regimes[i].name == regime) {
      return target.purpose == Purpose::gate ? std::vector{i} : state.regimes[i].members;
    }
  }
  return {};
}

// The regime's own interval: one value a pair, its mean over these workloads. As many looks as the session could take share
// the error, for it may have stopped at any of them.
std::optional<task::MeasuredEffect> effect_on(const std::vector<std::size_t>& workloads,
                                              const stats::PairedTable& table, const stats::PairedRule& rule) {
  std::vector<double> values;
  for (int pair = 0; pair < table.pairs; ++pair) {
    double sum = 0;
    for (const std::size_t workload : workloads) {
      sum += table.log_ratio[static_cast<std::size_t>(pair * table.workloads) + workload];
    }
    if (std::isfinite(sum)) {
      values.push_back(sum / static_cast<double>(workloads.size()));
    }
  }
  if (values.size() < 2) {
    return std::nullopt;
  }
  const stats::PairedInterval interval = stats::t_interval(values, stats::alpha_per_look(rule));
  return task::MeasuredEffect{interval.mean, interval.lower, interval.upper};
}

base::Result<std::optional<task::MeasuredEffect>> effect_of(const CampaignState& state, const PendingEvaluation& target,
                                                            const std::string& regime,
                                                            const task::EvaluationRequest& request,
                                                            const task::Evaluation& evaluation,
                                                            const std::vector<task::Sample>& samples) {
  if (!task::is_correct(evaluation.outcome)) {
    return std::optional<task::MeasuredEffect>();
  }
  ASSAY_TRY_ASSIGN(const stats::PairedComparison comparison, promote::recompute(request, evaluation, samples));
  if (!comparison.complete) {
    return std::optional<task::MeasuredEffect>();
  }
  const std::vector<std::size_t> workloads = workloads_of(state, target, regime);
  if (workloads.empty()) {  // "all"
    const stats::PairedInterval& interval = comparison.decision.interval;
    return std::optional(task::MeasuredEffect{interval.mean, interval.lower, interval.upper});
  }
  return effect_on(workloads, comparison.table, promote::rule_of(request.plan));
}

}  // namespace

std::vector<Entry> headroom_of(const BaselineMeasured& baseline, const task::Evaluation& evaluation) {
  std::vector<Entry> lessons;
  for (const promote::Regime& regime : baseline.regimes) {
    if (regime.representative >= evaluation.timings.size()) {
      continue;
    }
    const task::WorkloadTiming& timing = evaluation.timings[regime.representative];
    const double headroom = std::log(timing.candidate_ns.value_or(0) / timing.floor_ns.value_or(0));
    if (headroom > 0 && std::isfinite(headroom)) {
      lessons.emplace_back(EvidenceRecorded{{task::EvidenceKind::headroom, regime.name, headroom, timing.floor_limit,
                                             evaluation.id, task::environment_digest(evaluation.environment)}});
    }
  }
  return lessons;
}

base::Result<std::vector<Entry>> lessons_of(const CampaignState& state, const PendingEvaluation& target,
                                            const task::EvaluationRequest& request, const task::Evaluation& evaluation,
                                            const std::vector<task::Sample>& samples) {
  std::vector<Entry> lessons;
  const bool of_candidate = target.purpose == Purpose::gate || target.purpose == Purpose::sweep;
  const std::optional<int> tests = of_candidate ? state.candidate(target.candidate).tests : std::nullopt;
  if (tests) {
    const task::Hypothesis& hypothesis = state.memory.hypothesis(*tests).stated;
    HypothesisTested tested{*tests, target.candidate, {}};
    ASSAY_TRY_ASSIGN(tested.test.effect, effect_of(state, target, hypothesis.regime, request, evaluation, samples));
    tested.test.evaluation = evaluation.id;
    tested.test.environment = task::environment_digest(evaluation.environment);
    tested.test.against = compared_with(state, target.purpose);
    tested.test.outcome = evaluation.outcome;
    tested.test.status = task::judge_hypothesis(hypothesis.predicted, tested.test.effect);
    tested.test.why = task::explain_status(hypothesis.predicted, tested.test.effect);
    lessons.emplace_back(std::move(tested));
  }
  if (of_candidate && request.plan.self_comparison && task::is_correct(evaluation.outcome)) {
    ASSAY_TRY_ASSIGN(const auto self, promote::recompute_self(request, samples));
    if (self && std::isfinite(self->noise_floor)) {
      lessons.emplace_back(EvidenceRecorded{{task::EvidenceKind::noise_floor, "all", self->noise_floor, "",
                                             evaluation.id, task::environment_digest(evaluation.environment)}});
    }
  }
  return lessons;
}

}  // namespace assay::control
