#include <assay/foreign/audit.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace assay::foreign {
namespace {

void count_failures(const TraceArchive& archive, TraceAudit& trace) {
  std::set<base::Digest> judged;
  std::set<base::Digest> lost;
  std::set<base::Digest> seen;
  for (const std::size_t i : archive.of_trace(trace.name)) {
    const Evaluation& evaluation = archive.evaluations[i];
    const Failure failure = failure_of(evaluation);
    ++(evaluation.archived ? trace.archived : trace.extra);
    trace.resubmitted += std::size_t{seen.insert(evaluation.normalised).second ? 0U : 1U};
    if (judges_candidate(failure)) {
      judged.insert(evaluation.normalised);
    } else if (evaluation.archived) {
      lost.insert(evaluation.normalised);
    }
    if (failure != Failure::none) {
      ++(evaluation.archived ? trace.failures : trace.extra_failures)[failure];
    } else if (evaluation.archived) {
      ++trace.succeeded;
    }
  }
  trace.distinct_sources = seen.size();
  trace.unjudged = static_cast<std::size_t>(
      std::count_if(lost.begin(), lost.end(), [&](const base::Digest& source) { return judged.count(source) == 0; }));
}

std::size_t count_environments(const TraceArchive& archive, const std::vector<std::size_t>& successes) {
  std::vector<double> references;
  for (const std::size_t i : successes) {
    references.push_back(*archive.evaluations[i].reference_latency_ms);
  }
  std::sort(references.begin(), references.end());
  std::size_t groups = 0;
  double first = 0;
  for (const double reference : references) {
    if (groups == 0 || reference > kEnvironmentFactor * first) {
      ++groups;
      first = reference;
    }
  }
  return groups;
}

// What the controller kept last: the last promotion's, or the best score of a trace without promotions.
std::optional<std::size_t> find_picked(const TraceArchive& archive, const std::string& trace,
                                       const std::vector<std::size_t>& successes) {
  const Promotion* last = nullptr;
  for (const Promotion& promotion : archive.promotions) {
    if (promotion.trace == trace && (last == nullptr || promotion.number > last->number)) {
      last = &promotion;
    }
  }
  if (last != nullptr) {
    return last->after;
  }
  std::optional<std::size_t> best;
  for (const std::size_t i : successes) {
    const Evaluation& evaluation = archive.evaluations[i];
    if (evaluation.stored() && evaluation.score && (!best || *evaluation.score > *archive.evaluations[*best].score)) {
      best = i;
    }
  }
  return best;
}

TraceAudit audit_trace(const TraceArchive& archive, const std::string& name, const ComparisonNoise& noise) {
  TraceAudit trace;
  trace.name = name;
  count_failures(archive, trace);
  trace.repeats = source_repeats(archive, name);
  trace.noise = trace_noise(archive, name);
  std::vector<std::size_t> successes;
  for (const std::size_t i : archive.of_trace(name)) {
    if (archive.evaluations[i].succeeded()) {
      successes.push_back(i);
    }
  }
  trace.environments = count_environments(archive, successes);
  trace.search = search_history(archive, name, noise);
  trace.marks = supervise::marks(trace.search.history, {});
  trace.picked = find_picked(archive, name, successes);
  if (!trace.picked) {
    return trace;
  }
  const Evaluation& picked = archive.evaluations[*trace.picked];
  trace.fastest = trace.picked;  // The picked one stands first among equals.
  for (const std::size_t i : successes) {
    const Evaluation& evaluation = archive.evaluations[i];
    if (same_environment(evaluation, picked) &&
        *evaluation.latency_ms < *archive.evaluations[*trace.fastest].latency_ms) {
      trace.fastest = i;
    }
  }
  const Evaluation& fastest = archive.evaluations[*trace.fastest];
  trace.tellable_apart = identity_of(picked, fastest) == Identity::different &&
                         noise.source != ComparisonNoise::Source::none &&
                         std::log(*picked.latency_ms / *fastest.latency_ms) >= noise.band;
  return trace;
}

base::Json id_or_null(const Audit& audit, std::optional<std::size_t> evaluation) {
  return evaluation ? base::Json(audit.archive.evaluations[*evaluation].id) : base::Json();
}

}  // namespace

std::size_t Audit::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(promotions.begin(), promotions.end(),
                                                [&](const PromotionAudit& one) { return one.verdict == verdict; }));
}

Audit audit(TraceArchive archive) {
  Audit result;
  result.archive = std::move(archive);
  const PromotionJudge judge(result.archive);
  result.noise = judge.noise();
  for (const Promotion& promotion : result.archive.promotions) {
    result.promotions.push_back(judge.judge(promotion));
  }
  for (const std::string& name : result.archive.traces()) {
    result.traces.push_back(audit_trace(result.archive, name, result.noise));
  }
  return result;
}

base::Json encode(const Audit& audit) {
  base::Json promotions = base::Json::array();
  for (const PromotionAudit& promotion : audit.promotions) {
    base::Json reasons = base::Json::array();
    for (const Reason reason : promotion.reasons) {
      reasons.push_back(to_string(reason));
    }
    promotions.push_back(
        {{"id", promotion.promotion.id}, {"verdict", to_string(promotion.verdict)}, {"reasons", std::move(reasons)}});
  }
  base::Json traces = base::Json::object();
  base::Json failures = base::Json::object();
  base::Json unjudged = base::Json::object();
  base::Json repeats = base::Json::object();
  for (const TraceAudit& trace : audit.traces) {
    traces[trace.name] = {{"picked", id_or_null(audit, trace.picked)},
                          {"fastest", id_or_null(audit, trace.fastest)},
                          {"tellable_apart", trace.tellable_apart}};
    base::Json counts = base::Json::object();
    for (const Failure failure : kFailures) {
      const auto found = trace.failures.find(failure);
      counts[std::string(to_string(failure))] = found == trace.failures.end() ? std::size_t{0} : found->second;
    }
    failures[trace.name] = std::move(counts);
    unjudged[trace.name] = trace.unjudged;
    repeats[trace.name] = {{"evaluations", trace.repeats.evaluations},
                           {"same_bytes", trace.repeats.same_bytes},
                           {"same_source", trace.repeats.same_source},
                           {"answered", trace.repeats.answered},
                           {"most", trace.repeats.most}};
  }
  return {{"promotions", std::move(promotions)},
          {"traces", std::move(traces)},
          {"failures", std::move(failures)},
          {"unjudged", std::move(unjudged)},
          {"repeats", std::move(repeats)}};
}

}  // namespace assay::foreign
