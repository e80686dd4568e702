#include <assay/promote/decision.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <assay/promote/recompute.hpp>
#include <assay/stats/failure_words.hpp>
#include <assay/stats/quantile.hpp>
#include <assay/stats/weight_tolerance.hpp>

namespace assay::promote {
namespace {

using stats::PairedComparison;
using stats::PairedConclusion;

double mean_of_ratios(const std::vector<double>& numerators, const std::vector<double>& denominators) {
  std::vector<double> ratios(numerators.size());
  std::transform(numerators.begin(), numerators.end(), denominators.begin(), ratios.begin(),
                 [](double numerator, double denominator) { return numerator / denominator; });
  return stats::mean(ratios);
}

double p95_of(const std::vector<stats::WorkloadGuard>& guards) {
  std::vector<double> ratios(guards.size());
  std::transform(guards.begin(), guards.end(), ratios.begin(),
                 [](const stats::WorkloadGuard& guard) { return std::exp(guard.mean); });
  return stats::quantile(ratios, 0.95);
}

void take_numbers(const PairedComparison& comparison, Decision& decision) {
  const stats::PairedInterval& interval = comparison.decision.interval;
  const stats::PairedTable& table = comparison.table;
  decision.speedup = std::exp(-interval.mean);
  decision.speedup_lower = std::exp(-interval.upper);
  decision.speedup_upper = std::exp(-interval.lower);
  decision.mean_latency_ratio = stats::mean(table.candidate_ns) / stats::mean(table.incumbent_ns);
  decision.contest_score = mean_of_ratios(table.incumbent_ns, table.candidate_ns);
  decision.p95_ratio = p95_of(comparison.guards);
  decision.workloads = table.workloads;
  decision.pairs = comparison.decision.pairs_used;
}

std::string interval_words(const Decision& decision) {
  return fmt::format("{:.4f}x [{:.4f}, {:.4f}] over {} workloads and {} pairs", decision.speedup,
                     decision.speedup_lower, decision.speedup_upper, decision.workloads, decision.pairs);
}

std::string first_missing(const task::EvaluationRequest& request, const PairedComparison& comparison) {
  const stats::PairedTable& table = comparison.table;
  for (int pair = 0; pair < table.pairs; ++pair) {
    for (int workload = 0; workload < table.workloads; ++workload) {
      const auto cell = static_cast<std::size_t>(pair * table.workloads + workload);
      if (std::isnan(table.log_ratio[cell])) {
        return fmt::format("workload {} has no usable time on both sides in pair {}",
                           request.workloads[static_cast<std::size_t>(workload)].uuid, pair);
      }
    }
  }
  return "there are no timed calls";
}

// Appends a sentence for each guard that the comparison fails.
void apply_guards(const task::EvaluationRequest& request, const PairedComparison& comparison, const Policy& policy,
                  Decision& decision) {
  for (std::size_t workload = 0; workload < comparison.guards.size(); ++workload) {
    const stats::WorkloadGuard& guard = comparison.guards[workload];
    if (guard.failed) {
      decision.reasons.push_back(fmt::format("workload {} is {:.2f} % slower (at most {:.2f} % is allowed)",
                                             request.workloads[workload].uuid, 100 * std::expm1(guard.mean),
                                             100 * request.plan.maximum_regression));
    }
  }
  if (decision.mean_latency_ratio > 1 + policy.maximum_mean_regression) {
    decision.reasons.push_back(fmt::format("the mean latency rises by {:.2f} % (at most {:.2f} % is allowed)",
                                           100 * (decision.mean_latency_ratio - 1),
                                           100 * policy.maximum_mean_regression));
  }
  if (decision.p95_ratio > 1 + policy.maximum_p95_regression) {
    decision.reasons.push_back(
        fmt::format("the 95th percentile of the workloads' ratios is {:.2f} % slower (at most {:.2f} % is allowed)",
                    100 * (decision.p95_ratio - 1), 100 * policy.maximum_p95_regression));
  }
}

// Why what was checked does not suffice; empty if it does.
std::string bound_words(const task::EvaluationRequest& request, const std::vector<std::int64_t>& clean,
                        const Policy& policy) {
  const double accepted = failure_bound(policy, request.definition);
  if (accepted >= 1) {
    return {};
  }
  const stats::StrataBound bound = stats::bound_clean_trials(clean);
  if (bound.in_use <= accepted) {
    return {};
  }
  return fmt::format(
      "its failure rate is bounded by {:.3g} % with {:g} % confidence after {} clean trials, and policy {} accepts at "
      "most {:.3g} %: more trials would tell",
      100 * bound.in_use, 100 * stats::kVerdictConfidence, bound.trials, policy.name, 100 * accepted);
}

std::string rule_words(const task::EvaluationRequest& request, PairedConclusion conclusion, const Decision& decision) {
  const double effect = 100 * request.plan.minimum_effect;
  switch (conclusion) {
    case PairedConclusion::better:
      return fmt::format("faster by more than {:.2f} %: {}", effect, interval_words(decision));
    case PairedConclusion::not_better:
      return fmt::format("a gain of {:.2f} % is excluded: {}", effect, interval_words(decision));
    case PairedConclusion::undecided:
      break;
  }
  return fmt::format("a tie keeps the incumbent: a gain of {:.2f} % is neither shown nor excluded: {}", effect,
                     interval_words(decision));
}

// Why a tie keeps the incumbent although the rule alone says otherwise; empty if nothing does.
std::string doubt_words(const task::EvaluationRequest& request, const task::Evaluation& evaluation,
                        const PairedComparison& comparison, const std::optional<stats::SelfComparison>& self) {
  if (task::holds_as_noise(request, evaluation)) {
    return "a tie keeps the incumbent: the candidate is the same machine code, and what was measured is noise";
  }
  if (self && self->failed) {
    return fmt::format(
        "the session is void: it tells the incumbent from a copy of itself ({:.4f}x [{:.4f}, {:.4f}] over {} pairs)",
        std::exp(-self->interval.mean), std::exp(-self->interval.upper), std::exp(-self->interval.lower),
        self->pair_log_ratios.size());
  }
  if (comparison.decision.conclusion != PairedConclusion::better ||
      comparison.conclusion != PairedConclusion::undecided) {
    return {};
  }
  if (comparison.testimony == stats::Testimony::unclear || comparison.testimony == stats::Testimony::contradicted) {
    return "a tie keeps the incumbent: the judge's own clock does not confirm the gain";
  }
  return self && std::isfinite(self->noise_floor)
             ? fmt::format(
                   "a tie keeps the incumbent: the gain is within {:.2f} %, which the session shows of the "
                   "incumbent against a copy of itself",
                   100 * std::expm1(self->noise_floor))
             : std::string(
                   "a tie keeps the incumbent: the session has too few pairs of the incumbent with a copy of itself");
}

// The mean counts every workload alike; whoever serves another mixture learns how far it may differ from that.
std::string weight_words(const task::EvaluationRequest& request, const PairedComparison& comparison) {
  std::vector<double> effects;
  for (const stats::WorkloadGuard& guard : comparison.guards) {
    effects.push_back(guard.mean - std::log1p(-request.plan.minimum_effect));
  }
  const stats::WeightTolerance tolerance = stats::weight_tolerance(effects, std::vector<double>(effects.size(), 1.0));
  if (!tolerance.moved_share || !tolerance.factor) {
    return fmt::format("the gain exceeds {:.2f} % on every workload, so that no weights of theirs change the decision",
                       100 * request.plan.minimum_effect);
  }
  return fmt::format(
      "the estimate stays beyond {:.2f} % until {:.1f} % of the workloads' weight moves to those that gain "
      "least, or each weight is wrong by a factor of {:.2f}",
      100 * request.plan.minimum_effect, 100 * *tolerance.moved_share, *tolerance.factor);
}

}  // namespace

base::Result<Decision> decide(const task::EvaluationRequest& request, const task::Evaluation& evaluation,
                              const std::vector<task::Sample>& samples, const Policy& policy) {
  if (!request.incumbent) {
    return base::internal_error("promote.no_incumbent",
                                fmt::format("evaluation {}: there is no incumbent to decide against", request.id));
  }
  const base::Timing asked = task::timing_of(policy.sweep, request.device);
  const base::Timing used = task::timing_of(request);
  if (asked != used) {
    return base::input_error(
        "promote.clock",
        fmt::format(
            "evaluation {} was timed by {}, and the policy \"{}\" decides by {}: times of different methods are "
            "not compared; evaluate again with this policy",
            request.id, base::to_string(used), policy.name, base::to_string(asked)));
  }
  ASSAY_TRY_ASSIGN(const PairedComparison comparison, recompute(request, evaluation, samples));
  Decision decision;
  if (!task::is_correct(evaluation.outcome)) {
    decision.reasons.push_back(
        fmt::format("the candidate is {}: {}", task::to_string(evaluation.outcome), evaluation.cause));
    return decision;
  }
  if (!comparison.complete || comparison.table.pairs == 0) {
    decision.reasons.push_back("the sweep is incomplete: " + first_missing(request, comparison));
    return decision;
  }
  take_numbers(comparison, decision);
  const std::vector<std::int64_t> clean = task::clean_trials(evaluation, request.workloads.size());
  decision.correctness = stats::failure_words(
      clean, [&request](std::size_t workload) { return "workload " + request.workloads[workload].uuid; });
  apply_guards(request, comparison, policy, decision);
  const bool guarded = !decision.reasons.empty();
  const PairedConclusion rule = comparison.decision.conclusion;
  const std::string words = rule_words(request, rule, decision);
  ASSAY_TRY_ASSIGN(const auto self, recompute_self(request, samples));
  const std::string doubt = doubt_words(request, evaluation, comparison, self);
  if (!doubt.empty()) {
    decision.reasons.insert(decision.reasons.begin(), {doubt, words});
    return decision;
  }
  const std::string unbounded = bound_words(request, clean, policy);
  if (rule == PairedConclusion::better && !unbounded.empty()) {
    decision.reasons.push_back(unbounded);  // Behind the guards, which are a fault of the candidate's own.
  } else if (rule == PairedConclusion::better && !guarded) {
    decision.verdict = Decision::Verdict::promote;
  }
  // What decided comes first: the rule, unless a guard overruled it.
  decision.reasons.insert(rule == PairedConclusion::better ? decision.reasons.end() : decision.reasons.begin(), words);
  if (decision.verdict == Decision::Verdict::promote) {
    decision.reasons.push_back(weight_words(request, comparison));
  }
  return decision;
}

std::string_view to_string(Decision::Verdict verdict) {
  return verdict == Decision::Verdict::promote ? "promote" : "keep_incumbent";
}

}  // namespace assay::promote
