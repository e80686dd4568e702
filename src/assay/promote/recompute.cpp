#include <assay/promote/recompute.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <assay/stats/waiting.hpp>

namespace assay::promote {
namespace {

using stats::PairedComparison;
using stats::PairedConclusion;

// Which of a session's two comparisons.
enum class Of : std::uint8_t { candidate, self };

base::Result<std::vector<stats::PairedSample>> timed_samples(const task::EvaluationRequest& request,
                                                             const std::vector<task::Sample>& samples, Of of) {
  const auto workloads = static_cast<std::int32_t>(request.workloads.size());
  std::vector<stats::PairedSample> timed;
  timed.reserve(samples.size());
  for (const task::Sample& sample : samples) {
    if (sample.workload < 0 || sample.workload >= workloads || sample.pair < 0 ||
        sample.pair >= request.plan.maximum_pairs) {
      return base::internal_error(
          "promote.samples",
          fmt::format(
              "evaluation {}: a sample of pair {} and workload {} does not belong to a request of {} workloads and "
              "at most {} pairs",
              request.id, sample.pair, sample.workload, workloads, request.plan.maximum_pairs));
    }
    if (sample.timing && *sample.timing != task::timing_of(request)) {
      return base::input_error(
          "promote.clock",
          fmt::format("evaluation {} has a sample that was timed by {}, and its request asked for {}: "
                      "times of different methods are not compared; evaluate again",
                      request.id, base::to_string(*sample.timing), base::to_string(task::timing_of(request))));
    }
    if (sample.repetition > 0 && sample.self == (of == Of::self)) {
      timed.push_back({sample.pair, sample.workload, sample.side == task::Side::candidate,
                       static_cast<double>(sample.elapsed_ns),
                       task::has_two_clocks(request) ? static_cast<double>(sample.round_trip_ns) : 0});
    }
  }
  return timed;
}

task::Outcome outcome_of(PairedConclusion conclusion) {
  switch (conclusion) {
    case PairedConclusion::better:
      return task::Outcome::better;
    case PairedConclusion::not_better:
      return task::Outcome::not_better;
    case PairedConclusion::undecided:
      break;
  }
  return task::Outcome::indistinguishable;
}

// The judge runs the same formulae on the same doubles, maybe compiled differently.
bool same(double a, double b) {
  constexpr double kTolerance = 1e-9;
  return a == b || std::abs(a - b) <= kTolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

tl::unexpected<base::Error> disagreement(const std::string& id, const std::string& what) {
  return base::internal_error(
      "promote.disagreement",
      fmt::format(
          "evaluation {}: the judge and its own samples disagree: {}; nothing was promoted: keep the evaluation and "
          "report this",
          id, what));
}

base::Result<void> hold_against(const task::Evaluation& evaluation, const PairedComparison& recomputed) {
  const task::Outcome expected = outcome_of(recomputed.conclusion);
  const stats::PairedInterval& interval = recomputed.decision.interval;
  if (evaluation.outcome != expected) {
    return disagreement(evaluation.id,
                        fmt::format("it said {}, the samples say {} (log-ratio {:.6f} [{:.6f}, {:.6f}] over {} pairs)",
                                    task::to_string(evaluation.outcome), task::to_string(expected), interval.mean,
                                    interval.lower, interval.upper, recomputed.decision.pairs_used));
  }
  if (!evaluation.comparison) {
    return disagreement(evaluation.id, fmt::format("it said {} without a comparison", task::to_string(expected)));
  }
  const task::Comparison& said = *evaluation.comparison;
  if (!same(said.log_ratio, interval.mean) || !same(said.log_ratio_lower, interval.lower) ||
      !same(said.log_ratio_upper, interval.upper)) {
    return disagreement(
        evaluation.id,
        fmt::format("it said a log-ratio of {:.9f} [{:.9f}, {:.9f}], the samples say {:.9f} [{:.9f}, {:.9f}]",
                    said.log_ratio, said.log_ratio_lower, said.log_ratio_upper, interval.mean, interval.lower,
                    interval.upper));
  }
  return {};
}

base::Result<void> hold_against(const task::Evaluation& evaluation, const std::optional<stats::SelfComparison>& self) {
  const std::optional<task::SelfComparison>& said = evaluation.comparison->aa;
  const bool agree =
      said.has_value() == self.has_value() &&
      (!self || (same(said->log_ratio, self->interval.mean) && same(said->log_ratio_lower, self->interval.lower) &&
                 same(said->log_ratio_upper, self->interval.upper) && same(said->noise_floor, self->noise_floor)));
  if (!agree) {
    return disagreement(
        evaluation.id,
        fmt::format("of the incumbent against itself it said {}, the samples say {}",
                    said ? fmt::format("a noise floor of {:.9f}", said->noise_floor) : std::string("nothing"),
                    self ? fmt::format("a noise floor of {:.9f}", self->noise_floor) : std::string("nothing")));
  }
  return {};
}

int pairs_of(const std::vector<stats::PairedSample>& samples) {
  int pairs = 0;
  for (const stats::PairedSample& sample : samples) {
    pairs = std::max(pairs, sample.pair + 1);
  }
  return pairs;
}

}  // namespace

stats::PairedRule rule_of(const task::SessionPlan& plan) {
  const stats::PairedTest test =
      plan.test == task::PairedTest::evidence ? stats::PairedTest::evidence : stats::PairedTest::student_t;
  return {plan.minimum_pairs, plan.maximum_pairs, plan.alpha, plan.minimum_effect, plan.futility, test};
}

base::Result<PairedComparison> recompute(const task::EvaluationRequest& request, const task::Evaluation& evaluation,
                                         const std::vector<task::Sample>& samples) {
  if (task::timing_of(evaluation) != task::timing_of(request)) {
    return base::input_error(
        "promote.clock",
        fmt::format("evaluation {} was timed by {}, and its request asked for {}: times of different methods are not "
                    "compared; evaluate again",
                    evaluation.id, base::to_string(task::timing_of(evaluation)),
                    base::to_string(task::timing_of(request))));
  }
  ASSAY_TRY_ASSIGN(const auto timed, timed_samples(request, samples, Of::candidate));
  const int pairs = pairs_of(timed);
  stats::PairedRule rule = rule_of(request.plan);
  rule.waiting_level = stats::waiting_level_on(request.device);
  PairedComparison comparison = stats::compare_pairs(timed, pairs, static_cast<int>(request.workloads.size()), rule,
                                                     request.plan.maximum_regression);
  ASSAY_TRY_ASSIGN(const auto self, recompute_self(request, samples));
  if (self) {
    stats::withdraw_unless_above_noise(comparison, *self);
  }
  if (task::holds_as_noise(request, evaluation)) {
    comparison.conclusion = PairedConclusion::undecided;  // Of one machine code neither side is better, or worse.
  }
  if (task::is_correct(evaluation.outcome) && comparison.complete && pairs > 0) {
    ASSAY_TRY(hold_against(evaluation, comparison));
    ASSAY_TRY(hold_against(evaluation, self));
  }
  return comparison;
}

base::Result<std::optional<stats::SelfComparison>> recompute_self(const task::EvaluationRequest& request,
                                                                  const std::vector<task::Sample>& samples) {
  const task::SessionPlan& plan = request.plan;
  if (!plan.self_comparison) {
    return std::nullopt;
  }
  ASSAY_TRY_ASSIGN(const auto timed, timed_samples(request, samples, Of::self));
  return stats::compare_with_itself(timed, pairs_of(timed), static_cast<int>(request.workloads.size()), plan.alpha,
                                    plan.minimum_effect);
}

}  // namespace assay::promote
