#include <assay/measure/summary.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include <assay/base/text.hpp>
#include <assay/stats/paired_samples.hpp>
#include <assay/stats/quantile.hpp>
#include <assay/stats/waiting.hpp>

namespace assay::measure {

namespace {

constexpr double kUsualOutsideNs = 2e6;
// The chance that a machine's delays look like an accusation (see waiting_level_on), over all calls of a session's
// workloads: six of each side, of which the candidate's alone are late, are enough (1 of 924).
constexpr double kDelayedByChance = 0.002;
// So many calls that are all late are enough where there is no incumbent to tell how busy the machine was.
constexpr std::size_t kLateCallsAlone = 12;

// With the judge's own times where they mean something: a simulated clock has no second one.
std::vector<stats::PairedSample> timed_samples(const task::EvaluationRequest& request,
                                               const std::vector<task::Sample>& samples, bool self = false) {
  const bool witnessed = task::has_two_clocks(request);
  std::vector<stats::PairedSample> timed;
  timed.reserve(samples.size());
  for (const task::Sample& sample : samples) {
    if (sample.repetition > 0 && sample.self == self) {
      timed.push_back({sample.pair, sample.workload, sample.side == task::Side::candidate,
                       static_cast<double>(sample.elapsed_ns),
                       witnessed ? static_cast<double>(sample.round_trip_ns) : 0});
    }
  }
  return timed;
}

std::optional<double> unless_missing(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

std::string axes_text(const task::AxisValues& axes) {
  std::string text;
  for (const auto& [name, value] : axes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

}  // namespace

stats::PairedRule rule_of(const task::SessionPlan& plan) {
  const stats::PairedTest test =
      plan.test == task::PairedTest::evidence ? stats::PairedTest::evidence : stats::PairedTest::student_t;
  return {plan.minimum_pairs, plan.maximum_pairs, plan.alpha, plan.minimum_effect, plan.futility, test};
}

std::vector<task::WorkloadTiming> summarise(const task::EvaluationRequest& request,
                                            const std::vector<task::Sample>& samples, int pairs) {
  const stats::PairedTable table =
      stats::tabulate(timed_samples(request, samples), pairs, static_cast<int>(request.workloads.size()));
  std::vector<task::WorkloadTiming> timings;
  for (std::size_t w = 0; w < request.workloads.size(); ++w) {
    task::WorkloadTiming timing;
    timing.uuid = request.workloads[w].uuid;
    timing.axes = request.workloads[w].axes;
    timing.candidate_ns = unless_missing(table.candidate_ns[w]);
    timing.incumbent_ns = unless_missing(table.incumbent_ns[w]);
    const std::vector<double> ratios = table.of_workload(static_cast<int>(w));
    if (ratios.size() >= 2) {
      const stats::PairedInterval interval = stats::t_interval(ratios, request.plan.alpha);
      timing.log_ratio = interval.mean;
      timing.log_ratio_lower = interval.lower;
      timing.log_ratio_upper = interval.upper;
    }
    timings.push_back(std::move(timing));
  }
  return timings;
}

Judgement judge(const task::EvaluationRequest& request, const std::vector<task::Sample>& samples, int pairs) {
  const task::SessionPlan& plan = request.plan;
  stats::PairedRule rule = rule_of(plan);
  rule.waiting_level = stats::waiting_level_on(request.device);
  stats::PairedComparison result =
      stats::compare_pairs(timed_samples(request, samples), pairs, static_cast<int>(request.workloads.size()), rule,
                           plan.maximum_regression);
  Judgement judgement;
  task::Comparison& comparison = judgement.comparison;
  if (plan.self_comparison) {
    const stats::SelfComparison self =
        stats::compare_with_itself(timed_samples(request, samples, true), pairs,
                                   static_cast<int>(request.workloads.size()), plan.alpha, plan.minimum_effect);
    judgement.standing = stats::standing_of(result, self);
    stats::withdraw_unless_above_noise(result, self);
    comparison.aa = task::SelfComparison{static_cast<int>(self.pair_log_ratios.size()),
                                         self.pair_log_ratios,
                                         self.interval.mean,
                                         self.interval.lower,
                                         self.interval.upper,
                                         self.noise_floor};
  }
  judgement.conclusion = result.conclusion;
  judgement.testimony = result.testimony;
  const bool decided = result.decision.conclusion != stats::PairedConclusion::undecided || result.decision.futile;
  // More pairs may make the witness clear, and the noise smaller.
  const bool stands =
      result.testimony != stats::Testimony::unclear && judgement.standing == stats::Standing::above_noise;
  judgement.stop = (decided && stands) || pairs >= plan.maximum_pairs;
  comparison.pairs = result.decision.pairs_used;
  comparison.pair_log_ratios = result.table.pair_log_ratios;
  comparison.log_ratio = result.decision.interval.mean;
  comparison.log_ratio_lower = result.decision.interval.lower;
  comparison.log_ratio_upper = result.decision.interval.upper;
  for (std::size_t w = 0; w < result.guards.size(); ++w) {
    if (result.guards[w].failed) {
      comparison.guard_failures.push_back(
          fmt::format("workload {} ({}) is slower by {:.1f} % (at least {:.1f} %); the policy allows {:.1f} %",
                      request.workloads[w].uuid.substr(0, 8), axes_text(request.workloads[w].axes),
                      100 * std::expm1(result.guards[w].mean), 100 * std::expm1(result.guards[w].lower),
                      100 * plan.maximum_regression));
    }
  }
  return judgement;
}

namespace {

// What the calls of one workload spend outside the reported window.
struct Outside {
  std::vector<double> candidate;
  std::vector<double> incumbent;
  std::vector<double> reported;  // By the candidate.

  // The least, because a busy machine delays many answers but not all, and hidden work delays all of them.
  [[nodiscard]] double least() const { return *std::min_element(candidate.begin(), candidate.end()); }
  // Without an incumbent there is nothing to show what is usual here, and only much is too much.
  [[nodiscard]] double usual() const {
    return incumbent.empty() ? kUsualOutsideNs : *std::min_element(incumbent.begin(), incumbent.end());
  }
  [[nodiscard]] double most() const { return usual() + stats::kWakingNs + 0.5 * stats::median(reported); }
};

// The workloads on which every call of the candidate is late, and how often the incumbent was on these.
struct Late {
  std::size_t workloads = 0;
  std::int64_t calls = 0;
  std::int64_t incumbents_calls = 0;
  std::int64_t incumbents_late = 0;
  const Outside* example = nullptr;

  void add(const Outside& outside) {
    const double most = outside.most();
    ++workloads;
    calls += static_cast<std::int64_t>(outside.candidate.size());
    incumbents_calls += static_cast<std::int64_t>(outside.incumbent.size());
    incumbents_late +=
        std::count_if(outside.incumbent.begin(), outside.incumbent.end(), [most](double time) { return time > most; });
    example = &outside;
  }
  // What the known kernel went through is all that excuses: no candidate can make its own calls an excuse.
  [[nodiscard]] bool by_chance() const {
    return incumbents_calls == 0
               ? calls < static_cast<std::int64_t>(kLateCallsAlone)
               : stats::chance_of_all_delayed(calls, incumbents_calls, incumbents_late) > kDelayedByChance;
  }
};

std::string unexplained_text(const Late& late, std::size_t workloads) {
  const auto text = [](double ns) { return base::human(std::chrono::nanoseconds(std::llround(ns))); };
  const std::string incumbents =
      late.example->incumbent.empty() ? "" : fmt::format(", the incumbent's {}", text(late.example->usual()));
  return fmt::format(
      "every call of the candidate spends at least {} outside the time that is reported for it ({}){}: work is done "
      "that the reported time does not show (so on {} of {} workloads)",
      text(late.example->least()), text(stats::median(late.example->reported)), incumbents, late.workloads, workloads);
}

}  // namespace

std::optional<std::string> reconcile(const std::vector<task::Sample>& samples) {
  std::map<std::int32_t, Outside> workloads;
  for (const task::Sample& sample : samples) {
    if (sample.elapsed_ns > sample.round_trip_ns) {
      return fmt::format("a call of the {} is said to have taken {}, but command and answer together took {}",
                         task::to_string(sample.side), base::human(std::chrono::nanoseconds(sample.elapsed_ns)),
                         base::human(std::chrono::nanoseconds(sample.round_trip_ns)));
    }
    if (sample.repetition == 0 || sample.self) {
      continue;
    }
    Outside& outside = workloads[sample.workload];
    const bool candidate = sample.side == task::Side::candidate;
    (candidate ? outside.candidate : outside.incumbent)
        .push_back(static_cast<double>(sample.round_trip_ns - sample.elapsed_ns));
    if (candidate) {
      outside.reported.push_back(static_cast<double>(sample.elapsed_ns));
    }
  }
  Late late;
  for (const auto& [workload, outside] : workloads) {
    if (!outside.candidate.empty() && outside.least() > outside.most()) {
      late.add(outside);
    }
  }
  if (2 * late.workloads <= workloads.size() || late.by_chance()) {
    return std::nullopt;
  }
  return unexplained_text(late, workloads.size());
}

}  // namespace assay::measure
