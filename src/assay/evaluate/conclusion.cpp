#include <assay/evaluate/conclusion.hpp>

#include <fmt/core.h>

#include <utility>
#include <vector>

#include <assay/evaluate/repeated_code.hpp>
#include <assay/evaluate/session_flags.hpp>
#include <assay/evaluate/wording.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

void conclude(task::Evaluation& evaluation, task::Outcome outcome, std::string cause) {
  evaluation.outcome = outcome;
  evaluation.cause = std::move(cause);
}

void Conclusion::conclude(task::Outcome outcome, std::string cause) {
  evaluate::conclude(judged_.evaluation, outcome, std::move(cause));
}

base::Result<void> Conclusion::begin() {
  ASSAY_TRY_ASSIGN(canary_before_, session_.device->time_canary());
  return {};
}

base::Result<void> Conclusion::blame(Fault fault) {
  if (fault.side == task::Side::incumbent) {
    return base::input_error("incumbent.failed",
                             fmt::format("the incumbent '{}' fails, so nothing can be compared with it: {}",
                                         request().incumbent->name, fault.cause));
  }
  judged_.evaluation.findings = std::move(fault.findings);
  if (fault.input) {
    judged_.evaluation.failing_inputs.push_back(std::move(*fault.input));
  }
  std::string where;
  if (const auto& workload = judged_.evaluation.findings.front().workload) {
    where = fmt::format(" (workload {})", describe(request().workloads[static_cast<std::size_t>(*workload)]));
  }
  conclude(fault.outcome, fault.cause + where);
  return {};
}

base::Result<void> Conclusion::measured(int pairs) {
  summarise(pairs);
  ASSAY_TRY(flag_session());
  if (!doubted()) {
    conclude(task::Outcome::measured, correct_text(judged_.evaluation, request()));
  }
  return {};
}

base::Result<void> Conclusion::compared(const measure::Judgement& judgement, int pairs) {
  summarise(pairs);
  judged_.evaluation.comparison = judgement.comparison;
  ASSAY_TRY(flag_session());
  if (doubted()) {
    return {};
  }
  if (task::holds_as_noise(request(), judged_.evaluation)) {
    task::Finding noise = self_comparison_finding(judgement.comparison, request());
    conclude(task::Outcome::indistinguishable, noise.message);
    judged_.evaluation.findings.insert(judged_.evaluation.findings.begin(), std::move(noise));
    return {};
  }
  if (judgement.testimony == stats::Testimony::contradicted) {
    doubt(irreconcilable_time(contradicted_text(judgement.comparison, request())));
    return {};
  }
  if (judgement.testimony == stats::Testimony::unclear) {
    conclude(task::Outcome::indistinguishable, unconfirmed_text(judgement.comparison, request()));
    return {};
  }
  if (std::optional<task::Finding> noise = noise_finding(judgement.standing, judgement.comparison, request())) {
    conclude(task::Outcome::indistinguishable, noise->message);
    judged_.evaluation.findings.insert(judged_.evaluation.findings.begin(), std::move(*noise));
    return {};
  }
  switch (judgement.conclusion) {
    case stats::PairedConclusion::better:
      conclude(task::Outcome::better, comparison_text(judgement.comparison, request()));
      return {};
    case stats::PairedConclusion::not_better:
      conclude(task::Outcome::not_better, not_better_text(judgement.comparison, request()));
      return {};
    case stats::PairedConclusion::undecided:
      conclude(task::Outcome::indistinguishable, undecided_text(judgement.comparison, request()));
      return {};
  }
  return {};
}

void Conclusion::summarise(int pairs) {
  judged_.evaluation.timings = measure::summarise(request(), judged_.samples, pairs);
  evidence_.add_errors_to(judged_.evaluation.timings);
  if (!session_.device->simulated()) {  // Its clock has nothing to do with this machine's memory.
    evidence_.add_floors_to(judged_.evaluation.timings, peaks_);
  }
}

// After the last pair: what is to be told beside the outcome. The order is that of weight.
base::Result<void> Conclusion::flag_session() {
  task::Evaluation& evaluation = judged_.evaluation;
  std::vector<task::Finding> flags;
  const auto add = [&](std::optional<task::Finding> flag) {
    if (flag) {
      flags.push_back(std::move(*flag));
    }
  };
  if (canary_before_) {
    ASSAY_TRY_ASSIGN(const auto after, session_.device->time_canary());
    evaluation.canary = task::Canary{static_cast<double>(canary_before_->count()),
                                     static_cast<double>(after.value_or(*canary_before_).count())};
    add(flag_changed_device(*evaluation.canary));
  }
  add(flag_throttling(evaluation.device_readings));
  add(flag_other_processes(evaluation.device_readings));
  if (task::has_two_clocks(request())) {
    add(flag_busy_machine(judged_.samples));
  }
  for (task::Finding& flag : evidence_.flags()) {
    flags.push_back(std::move(flag));
  }
  evaluation.findings = std::move(flags);
  return {};
}

// Whether the times are not to be believed, and said so.
bool Conclusion::doubted() {
  return !session_.device->simulated() &&
         doubt(evidence_.doubts(request(), judged_.samples, judged_.evaluation.timings, peaks_));
}

bool Conclusion::doubt(std::optional<task::Finding> found) {
  if (found) {
    conclude(task::Outcome::suspect, found->message);
    judged_.evaluation.findings.insert(judged_.evaluation.findings.begin(), std::move(*found));
  }
  return found.has_value();
}

}  // namespace assay::evaluate
