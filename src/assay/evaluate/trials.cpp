#include <assay/evaluate/trials.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <assay/evaluate/host_checker.hpp>
#include <assay/evaluate/wording.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::evaluate {

namespace {

// Numbers of process pairs that a comparison does not have: their random streams are their own.
constexpr std::int32_t kStressPair = -1;
constexpr std::int32_t kOfficialPair = -2;
constexpr std::int32_t kTrialsPair = -3;
// What one stress trial's arguments may take, where the operator can do with so little.
constexpr std::uint64_t kLargestTrial = std::uint64_t{3} << 20U;

// A session of the candidate alone.
Session alone(const Session& session, const task::EvaluationRequest& request, Session::Purpose purpose) {
  Session trials = session;
  trials.request = &request;
  trials.purpose = purpose;
  std::erase_if(trials.contestants,
                [](const Contestant* contestant) { return contestant->side == task::Side::incumbent; });
  return trials;
}

std::string scalars(const task::Workload& workload) {
  std::string text;
  for (const auto& [name, input] : workload.inputs) {
    if (const auto* scalar = std::get_if<task::ScalarInput>(&input)) {
      text += std::visit([&](auto value) { return fmt::format(", {} {}", name, value); }, scalar->value);
    }
  }
  return text;
}

}  // namespace

base::Result<PairResult> run_stress_trials(const Session& session) {
  const operators::Operator& op = *session.op;
  task::EvaluationRequest request = *session.request;
  request.incumbent.reset();
  request.workloads.clear();
  std::vector<std::size_t> kinds;
  std::vector<verify::Layout> layouts;
  for (int index = 0; index < session.request->plan.stress_trials; ++index) {
    operators::StressTrial trial = op.stress_trial(session.seed, static_cast<std::uint64_t>(index), kLargestTrial);
    ASSAY_TRY_ASSIGN(verify::Layout layout, verify::make_layout(request.definition, trial.workload));
    kinds.push_back(trial.kind);
    layouts.push_back(std::move(layout));
    request.workloads.push_back(std::move(trial.workload));
  }
  Session trials = alone(session, request, Session::Purpose::stress);
  trials.layouts = &layouts;
  trials.stress_kinds = &kinds;
  ASSAY_TRY_ASSIGN(PairResult result, run_pair(trials, kStressPair));
  if (result.fault) {
    Fault& fault = *result.fault;
    if (const auto index = fault.findings.empty() ? std::nullopt : fault.findings.front().workload) {
      const auto at = static_cast<std::size_t>(*index);
      const operators::StressKind& kind = op.stress_kinds()[kinds[at]];
      const task::Workload& workload = request.workloads[at];
      fault.cause += fmt::format(" (difficult input \"{}\": {}; {}{}; trial {} of seed {})", kind.name, kind.what,
                                 axes_text(workload), scalars(workload), at, session.seed);
    }
    for (task::Finding& finding : fault.findings) {
      finding.workload.reset();
    }
  }
  return result;
}

base::Result<PairResult> run_trials(const Session& session, task::TrialsRecord& record) {
  task::EvaluationRequest request = *session.request;
  request.incumbent.reset();
  const int workloads = static_cast<int>(request.workloads.size());
  Session trials = alone(session, request, Session::Purpose::trials);
  trials.trials = (request.trials + workloads - 1) / workloads;
  if (!request.trials_on.empty()) {
    trials.trials_on.assign(request.trials_on.begin(), request.trials_on.end());
    trials.trials = std::max(1, *std::max_element(request.trials_on.begin(), request.trials_on.end()));
  }
  const auto start = std::chrono::steady_clock::now();
  ASSAY_TRY_ASSIGN(PairResult result, run_pair(trials, kTrialsPair));
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record.calls = result.checked_calls;
  record.on_workloads.assign(request.workloads.size(), 0);
  for (const task::Sample& sample : result.samples) {
    record.candidate_seconds += static_cast<double>(sample.elapsed_ns) * 1e-9;
    ++record.on_workloads[static_cast<std::size_t>(sample.workload)];
  }
  record.on_each = result.fault ? 0 : *std::min_element(record.on_workloads.begin(), record.on_workloads.end());
  return result;
}

base::Result<task::OfficialVerdict> run_official_trials(const Session& session) {
  task::EvaluationRequest request = *session.request;
  request.incumbent.reset();
  Session trials = alone(session, request, Session::Purpose::official);
  trials.trials = request.official_trials;
  HostChecker checker(*session.op, Acceptance::contest);  // Its rule is known to the CPU alone.
  trials.checker = &checker;
  ASSAY_TRY_ASSIGN(const PairResult result, run_pair(trials, kOfficialPair));
  task::OfficialVerdict verdict;
  verdict.passed = !result.fault;
  verdict.trials = result.checked_calls;
  if (result.fault) {
    verdict.reason = result.fault->cause;
    if (const auto index = result.fault->findings.front().workload) {
      verdict.reason += fmt::format(" (workload {})", describe(request.workloads[static_cast<std::size_t>(*index)]));
    }
  }
  return verdict;
}

}  // namespace assay::evaluate
