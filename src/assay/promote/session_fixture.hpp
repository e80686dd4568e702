#pragma once

#include <cmath>
#include <vector>

#include <assay/promote/recompute.hpp>
#include <assay/stats/paired_samples.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::promote::testing {

/// A finished session with chosen log-ratios (one row a pair, one column a workload) and an honest judge's words.
struct Session {
  task::EvaluationRequest request;
  task::Evaluation evaluation;
  std::vector<task::Sample> samples;
};

inline task::Outcome honest_outcome(stats::PairedConclusion conclusion) {
  return conclusion == stats::PairedConclusion::better       ? task::Outcome::better
         : conclusion == stats::PairedConclusion::not_better ? task::Outcome::not_better
                                                             : task::Outcome::indistinguishable;
}

/// Lets an honest judge speak on the samples as they are.
inline void judge(Session& session) {
  const task::SessionPlan& plan = session.request.plan;
  std::vector<stats::PairedSample> timed;
  std::vector<stats::PairedSample> of_self;
  int pairs = 0;
  for (const task::Sample& sample : session.samples) {
    if (sample.repetition > 0) {
      (sample.self ? of_self : timed)
          .push_back({sample.pair, sample.workload, sample.side == task::Side::candidate,
                      static_cast<double>(sample.elapsed_ns), static_cast<double>(sample.round_trip_ns)});
      pairs = std::max(pairs, sample.pair + 1);
    }
  }
  const int workloads = static_cast<int>(session.request.workloads.size());
  auto comparison = stats::compare_pairs(timed, pairs, workloads, rule_of(plan), plan.maximum_regression);
  session.evaluation.comparison.emplace();
  if (plan.self_comparison) {
    const auto self = stats::compare_with_itself(of_self, pairs, workloads, plan.alpha, plan.minimum_effect);
    stats::withdraw_unless_above_noise(comparison, self);
    session.evaluation.comparison->aa = task::SelfComparison{static_cast<int>(self.pair_log_ratios.size()),
                                                             self.pair_log_ratios,
                                                             self.interval.mean,
                                                             self.interval.lower,
                                                             self.interval.upper,
                                                             self.noise_floor};
  }
  session.evaluation.outcome = honest_outcome(comparison.conclusion);
  session.evaluation.comparison->pairs = comparison.decision.pairs_used;
  session.evaluation.comparison->log_ratio = comparison.decision.interval.mean;
  session.evaluation.comparison->log_ratio_lower = comparison.decision.interval.lower;
  session.evaluation.comparison->log_ratio_upper = comparison.decision.interval.upper;
}

/// Makes a session in which the incumbent takes 1, 2, 3, ... ms on the workloads. Two timed calls and one wild warm-up
/// call a cell.
inline Session make_session(const std::vector<std::vector<double>>& log_ratios) {
  Session session;
  session.request.id = "s-1";
  session.request.stage = task::Stage::sweep;
  session.request.incumbent.emplace();
  session.request.plan.minimum_pairs = 3;
  session.request.plan.maximum_pairs = 6;
  session.request.plan.minimum_effect = 0.02;
  session.request.plan.maximum_regression = 0.05;
  session.evaluation.id = "s-1";
  session.evaluation.stage = task::Stage::sweep;
  for (std::size_t workload = 0; workload < log_ratios.front().size(); ++workload) {
    session.request.workloads.push_back({"w" + std::to_string(workload), {}, {}, {}});
  }
  for (std::size_t pair = 0; pair < log_ratios.size(); ++pair) {
    for (std::size_t workload = 0; workload < log_ratios[pair].size(); ++workload) {
      const double incumbent = 1e6 * static_cast<double>(workload + 1);
      for (const task::Side side : {task::Side::candidate, task::Side::incumbent}) {
        const double ns = side == task::Side::candidate ? incumbent * std::exp(log_ratios[pair][workload]) : incumbent;
        for (const std::int32_t repetition : {0, 1, 2}) {
          task::Sample sample;
          sample.pair = static_cast<std::int32_t>(pair);
          sample.side = side;
          sample.workload = static_cast<std::int32_t>(workload);
          sample.repetition = repetition;
          sample.elapsed_ns = repetition == 0 ? 1 : std::llround(ns);
          session.samples.push_back(sample);
        }
      }
    }
  }
  judge(session);
  return session;
}

/// Adds the incumbent against a copy of itself, one log-ratio a pair, and has the judge speak again.
inline void add_self(Session& session, const std::vector<double>& log_ratios) {
  session.request.plan.self_comparison = true;
  for (std::size_t pair = 0; pair < log_ratios.size(); ++pair) {
    for (std::size_t workload = 0; workload < session.request.workloads.size(); ++workload) {
      for (const task::Side side : {task::Side::candidate, task::Side::incumbent}) {
        task::Sample sample;
        sample.pair = static_cast<std::int32_t>(pair);
        sample.side = side;
        sample.workload = static_cast<std::int32_t>(workload);
        sample.repetition = 1;
        sample.elapsed_ns = std::llround(side == task::Side::candidate ? 1e6 * std::exp(log_ratios[pair]) : 1e6);
        sample.self = true;
        session.samples.push_back(sample);
      }
    }
  }
  judge(session);
}

}  // namespace assay::promote::testing
