#include <assay/control/rejudge.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <assay/control/recorded_evaluator.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/stats/self_comparison.hpp>

namespace assay::control {
namespace {

tl::unexpected<base::Error> unmeasured(const task::EvaluationRequest& asked, const std::string& what) {
  return base::input_error(kUnmeasured, fmt::format("{} would need {}", asked.id, what));
}

int recorded_pairs(const std::vector<task::Sample>& samples) {
  int pairs = 0;
  for (const task::Sample& sample : samples) {
    pairs = std::max(pairs, sample.pair + 1);
  }
  return pairs;
}

// What a plan asks for beyond the samples of calls.
base::Result<void> check_asked(const Judgement& measured, const task::EvaluationRequest& asked) {
  const task::SessionPlan& had = measured.request.plan;
  const task::SessionPlan& plan = asked.plan;
  if (task::timing_of(asked) != task::timing_of(measured.request)) {
    return unmeasured(asked,
                      fmt::format("times by {}, and there are times by {}", base::to_string(task::timing_of(asked)),
                                  base::to_string(task::timing_of(measured.request))));
  }
  if (plan.samples_per_pair > had.samples_per_pair) {
    return unmeasured(asked, fmt::format("{} timed calls a workload in each pair, and there are {}",
                                         plan.samples_per_pair, had.samples_per_pair));
  }
  if (plan.self_comparison && !had.self_comparison) {
    return unmeasured(asked, "the incumbent timed against a copy of itself");
  }
  if (plan.stress_trials > had.stress_trials) {
    return unmeasured(
        asked, fmt::format("{} calls on difficult inputs, and {} were made", plan.stress_trials, had.stress_trials));
  }
  const bool all_sanitized = std::all_of(plan.sanitizers.begin(), plan.sanitizers.end(), [&](task::Sanitizer one) {
    return std::find(had.sanitizers.begin(), had.sanitizers.end(), one) != had.sanitizers.end();
  });
  return all_sanitized ? base::Result<void>() : unmeasured(asked, "a run under another sanitizer");
}

std::vector<task::Sample> those_asked_for(const std::vector<task::Sample>& samples, const task::SessionPlan& plan) {
  std::vector<task::Sample> kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept), [&](const task::Sample& sample) {
    return sample.pair < plan.maximum_pairs && sample.repetition <= plan.samples_per_pair;
  });
  return kept;
}

task::Comparison described(const stats::PairedComparison& comparison,
                           const std::optional<stats::SelfComparison>& self) {
  task::Comparison said;
  said.pairs = comparison.decision.pairs_used;
  said.pair_log_ratios = comparison.table.pair_log_ratios;
  said.log_ratio = comparison.decision.interval.mean;
  said.log_ratio_lower = comparison.decision.interval.lower;
  said.log_ratio_upper = comparison.decision.interval.upper;
  if (self) {
    said.aa = task::SelfComparison{static_cast<int>(self->pair_log_ratios.size()),
                                   self->pair_log_ratios,
                                   self->interval.mean,
                                   self->interval.lower,
                                   self->interval.upper,
                                   self->noise_floor};
  }
  return said;
}

task::Outcome outcome_by(const stats::PairedComparison& comparison) {
  return comparison.conclusion == stats::PairedConclusion::better       ? task::Outcome::better
         : comparison.conclusion == stats::PairedConclusion::not_better ? task::Outcome::not_better
                                                                        : task::Outcome::indistinguishable;
}

base::Result<void> compare_anew(const task::EvaluationRequest& asked, Judgement& judgement) {
  task::Evaluation unsaid = judgement.evaluation;
  unsaid.outcome = task::Outcome::suspect;  // So that what the first judge said is not held against these samples.
  unsaid.comparison.reset();
  ASSAY_TRY_ASSIGN(const stats::PairedComparison comparison, promote::recompute(asked, unsaid, judgement.samples));
  const int pairs = recorded_pairs(judgement.samples);
  const bool decided =
      comparison.decision.conclusion != stats::PairedConclusion::undecided || comparison.decision.futile;
  const bool clear = comparison.testimony != stats::Testimony::unclear;
  if (pairs < asked.plan.minimum_pairs || (!(decided && clear) && pairs < asked.plan.maximum_pairs)) {
    return unmeasured(asked,
                      fmt::format("a process pair more than the {} that were measured: they do not decide", pairs));
  }
  ASSAY_TRY_ASSIGN(const auto self, promote::recompute_self(asked, judgement.samples));
  judgement.evaluation.comparison = described(comparison, self);
  judgement.evaluation.outcome = outcome_by(comparison);
  judgement.evaluation.cause = "judged again from what was measured";
  return {};
}

}  // namespace

base::Result<Judgement> rejudge(const Judgement& measured, const task::EvaluationRequest& asked) {
  Judgement judgement = measured;
  judgement.request = asked;
  judgement.request.seed = measured.request.seed;
  judgement.evaluation.id = asked.id;
  judgement.evaluation.stage = asked.stage;
  if (!task::is_correct(measured.evaluation.outcome)) {
    // It failed before any rule was asked; a plan with fewer pairs might have ended before it did, which nobody knows.
    judgement.samples = those_asked_for(measured.samples, asked.plan);
    return judgement;
  }
  ASSAY_TRY(check_asked(measured, asked));
  judgement.samples = those_asked_for(measured.samples, asked.plan);
  if (asked.incumbent) {
    ASSAY_TRY(compare_anew(asked, judgement));
  }
  const bool wants_trials = asked.trials > 0 && (asked.trials_turn == task::TrialsTurn::before_timing ||
                                                 judgement.evaluation.outcome == task::Outcome::better);
  if (wants_trials && (!measured.evaluation.trials || measured.request.trials < asked.trials)) {
    return unmeasured(asked, fmt::format("{} trials of its correctness, and {} were made", asked.trials,
                                         measured.evaluation.trials ? measured.request.trials : 0));
  }
  return judgement;
}

}  // namespace assay::control
