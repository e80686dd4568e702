#include <assay/control/results.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include <assay/control/known_code.hpp>
#include <assay/control/void_confirmation.hpp>
#include <assay/promote/decision.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/promote/representatives.hpp>
#include <assay/task/bundle.hpp>

namespace assay::control {
namespace {

// A bundle of this id may lie in the spool from an earlier run; it must answer this very question.
bool same_question(const task::EvaluationRequest& a, const task::EvaluationRequest& b) {
  const auto same_uuid = [](const task::Workload& x, const task::Workload& y) { return x.uuid == y.uuid; };
  return a.id == b.id && a.stage == b.stage && a.device == b.device && a.definition.name == b.definition.name &&
         task::encode(a.plan) == task::encode(b.plan) && task::identify(a.candidate) == task::identify(b.candidate) &&
         a.incumbent.has_value() == b.incumbent.has_value() &&
         (!a.incumbent || task::identify(*a.incumbent) == task::identify(*b.incumbent)) &&
         std::equal(a.workloads.begin(), a.workloads.end(), b.workloads.begin(), b.workloads.end(), same_uuid);
}

tl::unexpected<base::Error> contradiction(const std::string& evaluation, const std::string& what) {
  return base::internal_error("control.contradiction",
                              fmt::format("evaluation {}: {}: keep the bundle and report this", evaluation, what));
}

base::Result<Entry> baseline_entry(const CampaignConfiguration& configuration, const task::Evaluation& evaluation) {
  if (evaluation.outcome != task::Outcome::measured) {
    return BaselineFailed{evaluation.id, evaluation.outcome, evaluation.cause};
  }
  BaselineMeasured entry;
  entry.evaluation = evaluation.id;
  for (const task::WorkloadTiming& timing : evaluation.timings) {
    entry.baseline_ns.push_back(timing.candidate_ns.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  const bool complete = entry.baseline_ns.size() == configuration.workloads.size() &&
                        std::all_of(entry.baseline_ns.begin(), entry.baseline_ns.end(),
                                    [](double ns) { return ns > 0 && std::isfinite(ns); });
  if (!complete) {
    return contradiction(evaluation.id, "the baseline is said to be measured, and a workload has no latency");
  }
  entry.regimes = promote::choose_representatives(configuration.workloads, entry.baseline_ns,
                                                  static_cast<std::size_t>(configuration.policy.gate_workloads));
  return entry;
}

// For gates of candidates and of injections; both name their subject first.
template <class Gated>
base::Result<Entry> gate_entry(int subject, const task::EvaluationRequest& request, const JudgesAnswer& answer) {
  const task::Evaluation& evaluation = answer.evaluation;
  ASSAY_TRY_ASSIGN(const stats::PairedComparison comparison, promote::recompute(request, evaluation, answer.samples));
  Gated entry{subject, evaluation.id, evaluation.outcome, evaluation.cause, std::nullopt};
  if constexpr (std::is_same_v<Gated, CandidateGated>) {
    entry.duplicate = repeated(request, evaluation);
  }
  if (task::is_correct(evaluation.outcome)) {
    if (!comparison.complete || comparison.table.pairs == 0) {
      return contradiction(evaluation.id, fmt::format("it is said to be {}, and samples are missing",
                                                      task::to_string(evaluation.outcome)));
    }
    const stats::PairedInterval& interval = comparison.decision.interval;
    entry.log_ratio = LogRatio{interval.mean, interval.lower, interval.upper};
  }
  return entry;
}

// For sweeps, of injections too, and confirmations. A winner's cause is the judge's; where the incumbent stays, what
// decided.
template <class Swept>
base::Result<Entry> swept_entry(int subject, const task::EvaluationRequest& request, const JudgesAnswer& answer,
                                const promote::Policy& policy) {
  ASSAY_TRY_ASSIGN(promote::Decision decision, promote::decide(request, answer.evaluation, answer.samples, policy));
  std::string cause = task::is_correct(answer.evaluation.outcome) ? decision.reasons.front() : answer.evaluation.cause;
  return Swept{subject, answer.evaluation.id, answer.evaluation.outcome, std::move(cause), std::move(decision)};
}

// What a candidate's gate or sweep is in the journal: an attempt that failed, if the session says nothing about it. It is
// made again then, and neither counts as the candidate's loss nor spends the campaign's error.
base::Result<Entry> unless_void(const PendingEvaluation& target, const task::EvaluationRequest& request,
                                const JudgesAnswer& answer, Entry entry) {
  ASSAY_TRY_ASSIGN(const std::string nothing, why_void_comparison(request, answer.evaluation, answer.samples));
  if (nothing.empty()) {
    return entry;
  }
  return EvaluationFailed{target.evaluation, std::string(kVoidComparison),
                          fmt::format("the {} of candidate {} says nothing about it: {}", to_string(target.purpose),
                                      target.candidate, nothing)};
}

}  // namespace

base::Result<JudgesAnswer> read_answer(const task::EvaluationRequest& request, const archive::Bundle& bundle) {
  ASSAY_TRY_ASSIGN(archive::BundleContents contents, archive::decode_contents(bundle));
  if (!same_question(contents.request, request)) {
    return base::internal_error(
        "control.other_request",
        fmt::format("{}: the bundle answers another request than evaluation {}: keep the folder "
                    "and report this",
                    bundle.source, request.id));
  }
  const archive::BundleFile* file = bundle.find(task::kSamplesFile);
  ASSAY_CHECK(file != nullptr);  // decode_contents has read it
  const std::string source = bundle.source + "/" + std::string(task::kSamplesFile);
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(file->content, source));
  ASSAY_TRY_ASSIGN(std::vector<task::Sample> samples, task::decode_samples(json, source));
  return JudgesAnswer{std::move(contents.evaluation), std::move(samples)};
}

base::Result<Entry> entry_of(const PendingEvaluation& target, const task::EvaluationRequest& request,
                             const JudgesAnswer& answer, const CampaignConfiguration& configuration) {
  switch (target.purpose) {
    case Purpose::baseline:
      return baseline_entry(configuration, answer.evaluation);
    case Purpose::gate: {
      ASSAY_TRY_ASSIGN(Entry gated, gate_entry<CandidateGated>(target.candidate, request, answer));
      return unless_void(target, request, answer, std::move(gated));
    }
    case Purpose::sweep: {
      ASSAY_TRY_ASSIGN(Entry swept,
                       swept_entry<CandidateSwept>(target.candidate, request, answer, configuration.policy));
      return unless_void(target, request, answer, std::move(swept));
    }
    case Purpose::null_gate:
    case Purpose::slower_gate:
      return gate_entry<InjectionGated>(target.candidate, request, answer);
    case Purpose::null_sweep:
      return swept_entry<InjectionSwept>(target.candidate, request, answer, configuration.policy);
    case Purpose::confirmation:
      break;
  }
  ASSAY_TRY_ASSIGN(Entry confirmed,
                   swept_entry<CampaignConfirmed>(target.candidate, request, answer, configuration.policy));
  ASSAY_TRY_ASSIGN(const std::string nothing, why_void(request, answer.evaluation, answer.samples));
  if (!nothing.empty()) {
    return EvaluationFailed{
        target.evaluation, std::string(kVoidSession),
        fmt::format("the confirmation of candidate {} says nothing about it: {}", target.candidate, nothing)};
  }
  return confirmed;
}

}  // namespace assay::control
