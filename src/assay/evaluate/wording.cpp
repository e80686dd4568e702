#include <assay/evaluate/wording.hpp>

#include <fmt/core.h>

#include <cmath>
#include <vector>

#include <assay/stats/failure_words.hpp>

namespace assay::evaluate {

namespace {

std::string interval_text(const task::Comparison& comparison, const task::EvaluationRequest& request) {
  return fmt::format("{:.3g} % interval {:.3f} to {:.3f}, {} process pairs", 100 * (1 - request.plan.alpha),
                     std::exp(-comparison.log_ratio_upper), std::exp(-comparison.log_ratio_lower), comparison.pairs);
}

std::string against(const task::EvaluationRequest& request) {
  return request.incumbent ? "'" + request.incumbent->name + "'" : "the incumbent";
}

}  // namespace

std::string correct_text(const task::Evaluation& evaluation, const task::EvaluationRequest& request) {
  const std::vector<std::int64_t> clean = task::clean_trials(evaluation, request.workloads.size());
  return stats::failure_words(
             clean, [&](std::size_t at) { return fmt::format("workload {}", describe(request.workloads[at])); }) +
         "; timed alone";
}

std::string comparison_text(const task::Comparison& comparison, const task::EvaluationRequest& request) {
  return fmt::format("{:.3f}x as fast as {} ({})", std::exp(-comparison.log_ratio), against(request),
                     interval_text(comparison, request));
}

std::string not_better_text(const task::Comparison& comparison, const task::EvaluationRequest& request) {
  if (!comparison.guard_failures.empty()) {
    return comparison.guard_failures.front();
  }
  return fmt::format("{:.3f}x as fast as {} ({}): a gain of {:.3g} % is excluded", std::exp(-comparison.log_ratio),
                     against(request), interval_text(comparison, request), 100 * request.plan.minimum_effect);
}

std::string unconfirmed_text(const task::Comparison& comparison, const task::EvaluationRequest& request) {
  return fmt::format(
      "{:.3f}x as fast as {} by the worker's clock ({}), but the judge's own clock, which no candidate can bend, does "
      "not surely see half of that: more pairs, larger workloads or a quieter machine would tell",
      std::exp(-comparison.log_ratio), against(request), interval_text(comparison, request));
}

std::string contradicted_text(const task::Comparison& comparison, const task::EvaluationRequest& request) {
  return fmt::format(
      "{:.3f}x as fast as {} by the worker's clock ({}), but the judge's own clock around the same calls sees less "
      "than "
      "half of that saving: work is done that the reported time does not show",
      std::exp(-comparison.log_ratio), against(request), interval_text(comparison, request));
}

std::optional<task::Finding> noise_finding(stats::Standing standing, const task::Comparison& comparison,
                                           const task::EvaluationRequest& request) {
  if (standing == stats::Standing::above_noise || !comparison.aa) {
    return std::nullopt;
  }
  const task::SelfComparison& aa = *comparison.aa;
  const std::string shown = fmt::format("{:.3f}x ({:.3f} to {:.3f}, {} process pairs)", std::exp(-aa.log_ratio),
                                        std::exp(-aa.log_ratio_upper), std::exp(-aa.log_ratio_lower), aa.pairs);
  task::Finding finding;
  if (standing == stats::Standing::void_session) {
    finding.kind = "void_session";
    finding.message = fmt::format(
        "the session is void: in it {} against a copy of itself came out at {}, more apart than the {:.3g} % that "
        "count: see what else uses the machine, and evaluate again",
        against(request), shown, 100 * request.plan.minimum_effect);
  } else {
    finding.kind = "inside_noise";
    finding.message = fmt::format(
        "{:.3f}x as fast as {} ({}), which is no more than the session shows of nothing: {} against a copy of itself "
        "came out at {}",
        std::exp(-comparison.log_ratio), against(request), interval_text(comparison, request), against(request), shown);
  }
  return finding;
}

std::string undecided_text(const task::Comparison& comparison, const task::EvaluationRequest& request) {
  const bool gave_up = comparison.pairs < request.plan.maximum_pairs;
  return fmt::format("{:.3f}x as fast as {} ({}): {} whether the gain exceeds {:.3g} %",
                     std::exp(-comparison.log_ratio), against(request), interval_text(comparison, request),
                     gave_up ? "it is improbable that more pairs would tell" : "this many pairs cannot tell",
                     100 * request.plan.minimum_effect);
}

std::string axes_text(const task::Workload& workload) {
  std::string text;
  for (const auto& [name, value] : workload.axes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

std::string describe(const task::Workload& workload) { return workload.uuid.substr(0, 8) + ": " + axes_text(workload); }

}  // namespace assay::evaluate
