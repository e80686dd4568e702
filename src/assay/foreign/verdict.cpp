#include <assay/foreign/verdict.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace assay::foreign {
namespace {

// Whether the profiler, which needs the same driver and machine as the timing, worked in a run of the controller.
bool profiler_worked(const TraceArchive& archive, const std::string& trace, std::int64_t run) {
  return std::any_of(archive.evaluations.begin(), archive.evaluations.end(), [&](const Evaluation& evaluation) {
    return evaluation.trace == trace && evaluation.controller_run == run && evaluation.profile &&
           evaluation.profile->usable;
  });
}

bool profiler_was_lost(const TraceArchive& archive, const Evaluation& before, const Evaluation& after) {
  return before.controller_run && after.controller_run && *before.controller_run != *after.controller_run &&
         profiler_worked(archive, before.trace, *before.controller_run) &&
         !profiler_worked(archive, after.trace, *after.controller_run);
}

// Differences of latency over the workloads that both sides have; nothing unless those are all of both.
std::optional<stats::WeightTolerance> tolerance(const Evaluation& before, const Evaluation& after) {
  std::map<std::string, double> old_latency;
  for (const WorkloadRow& row : before.per_workload) {
    if (row.uuid.empty() || !row.latency_ms || !old_latency.emplace(row.uuid, *row.latency_ms).second) {
      return std::nullopt;
    }
  }
  std::vector<double> effects;
  for (const WorkloadRow& row : after.per_workload) {
    const auto found = old_latency.find(row.uuid);
    if (!row.latency_ms || found == old_latency.end()) {
      return std::nullopt;
    }
    effects.push_back(*row.latency_ms - found->second);
    old_latency.erase(found);
  }
  if (effects.empty() || !old_latency.empty()) {
    return std::nullopt;
  }
  return stats::weight_tolerance(effects, std::vector<double>(effects.size(), 1.0));
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::identical:
      return "identical";
    case Verdict::environment_shift:
      return "environment_shift";
    case Verdict::worse:
      return "worse";
    case Verdict::indistinguishable:
      return "indistinguishable";
    case Verdict::suspect_environment:
      return "suspect_environment";
    case Verdict::plausible:
      return "plausible";
  }
  return "plausible";
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::identical_source:
      return "identical_source";
    case Reason::identical_normalized_source:
      return "identical_normalized_source";
    case Reason::environment_shift:
      return "environment_shift";
    case Reason::latency_raising:
      return "latency_raising";
    case Reason::indistinguishable:
      return "indistinguishable";
    case Reason::indistinguishable_by_trace_noise:
      return "indistinguishable_by_trace_noise";
    case Reason::noise_unknown:
      return "noise_unknown";
    case Reason::environment_suspect:
      return "environment_suspect";
    case Reason::evaluator_changed:
      return "evaluator_changed";
    case Reason::workloads_differ:
      return "workloads_differ";
  }
  return "";
}

std::string_view to_string(Identity identity) {
  switch (identity) {
    case Identity::different:
      return "different";
    case Identity::normalised_source:
      return "normalised_source";
    case Identity::bytes:
      return "bytes";
  }
  return "different";
}

Identity identity_of(const Evaluation& one, const Evaluation& other) {
  if (one.source == other.source) {
    return Identity::bytes;
  }
  return one.normalised == other.normalised ? Identity::normalised_source : Identity::different;
}

PromotionJudge::PromotionJudge(const TraceArchive& archive) : archive_(archive), noise_(comparison_noise(archive)) {}

PromotionAudit PromotionJudge::judge(const Promotion& promotion) const {
  const Evaluation& before = archive_.evaluations[promotion.before];
  const Evaluation& after = archive_.evaluations[promotion.after];
  PromotionAudit audit;
  audit.promotion = promotion;
  audit.identity = identity_of(before, after);
  audit.log_latency_ratio = std::log(*after.latency_ms) - std::log(*before.latency_ms);
  audit.log_reference_ratio = std::log(*after.reference_latency_ms) - std::log(*before.reference_latency_ms);
  audit.weights = tolerance(before, after);
  std::optional<Verdict> verdict;
  const auto add = [&](bool holds, Reason reason, std::optional<Verdict> means) {
    if (holds) {
      audit.reasons.push_back(reason);
      verdict = verdict ? verdict : means;
    }
  };
  add(audit.identity == Identity::bytes, Reason::identical_source, Verdict::identical);
  add(audit.identity == Identity::normalised_source, Reason::identical_normalized_source, Verdict::identical);
  add(!same_environment(before, after), Reason::environment_shift, Verdict::environment_shift);
  add(audit.log_latency_ratio > 0, Reason::latency_raising, Verdict::worse);
  const double size = std::abs(audit.log_latency_ratio);
  add(noise_.source != ComparisonNoise::Source::none && size < noise_.band, Reason::indistinguishable,
      Verdict::indistinguishable);
  const stats::RepeatNoise own = trace_noise(archive_, promotion.trace);
  add(own.degrees > 0 && size < stats::difference_band(own.sigma), Reason::indistinguishable_by_trace_noise,
      std::nullopt);
  add(noise_.source == ComparisonNoise::Source::none, Reason::noise_unknown, std::nullopt);
  add(profiler_was_lost(archive_, before, after), Reason::environment_suspect, Verdict::suspect_environment);
  if (!verdict) {
    add(before.evaluator && after.evaluator && *before.evaluator != *after.evaluator, Reason::evaluator_changed,
        Verdict::suspect_environment);
    add(before.workloads && after.workloads && *before.workloads != *after.workloads, Reason::workloads_differ,
        Verdict::suspect_environment);
  }
  audit.verdict = verdict.value_or(Verdict::plausible);
  return audit;
}

}  // namespace assay::foreign
