#include <assay/evaluate/trials.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <assay/evaluate/host_checker.hpp>
#include <assay/evaluate/wording.hpp>
#include <assay/task/trial_spread.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::evaluate {

namespace {

// Numbers of process pairs that a comparison does not have: their random streams are their own.
constexpr std::int32_t kStressPair = -1;
constexpr std::int32_t kOfficialPair = -2;
constexpr std::int32_t kTrialsPair = -3;
constexpr std::int32_t kChainPair = -4;
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

// What the calls of a session of single inputs are: those that were kept, then the operator's difficult ones.
struct SingleInputs {
  std::vector<task::Workload> workloads;
  std::vector<std::size_t> kinds;  ///< Of difficult ones; of others nothing.
  std::vector<verify::Layout> layouts;
};

base::Result<std::size_t> kind_of(const operators::Operator& op, const task::FailingInput& input, std::size_t at) {
  if (!input.stress_kind) {
    return std::size_t{0};
  }
  const auto kinds = op.stress_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const operators::StressKind& kind) { return kind.name == *input.stress_kind; });
  if (found == kinds.end()) {
    return base::input_error(
        "request.replays",
        fmt::format("/replays/{}/stress_kind: {} has no difficult inputs of this kind, \"{}\": leave "
                    "the input out",
                    at, op.definition_name(), *input.stress_kind));
  }
  return static_cast<std::size_t>(found - kinds.begin());
}

base::Result<SingleInputs> single_inputs(const Session& session) {
  const task::EvaluationRequest& request = *session.request;
  SingleInputs inputs;
  for (std::size_t at = 0; at < request.replays.size(); ++at) {
    const task::FailingInput& input = request.replays[at].input;
    ASSAY_TRY_ASSIGN(inputs.kinds.emplace_back(), kind_of(*session.op, input, at));
    inputs.workloads.push_back(input.workload);
  }
  for (int index = 0; index < request.plan.stress_trials; ++index) {
    operators::StressTrial trial =
        session.op->stress_trial(session.seed, static_cast<std::uint64_t>(index), kLargestTrial);
    inputs.kinds.push_back(trial.kind);
    inputs.workloads.push_back(std::move(trial.workload));
  }
  for (const task::Workload& workload : inputs.workloads) {
    ASSAY_TRY_ASSIGN(inputs.layouts.emplace_back(), verify::make_layout(request.definition, workload));
  }
  return inputs;
}

// Where the wrong call comes from, and what repeats it.
std::string origin_of(const Session& session, const SingleInputs& inputs, std::size_t at) {
  const std::vector<task::KeptInput>& replays = session.request->replays;
  const task::Workload& workload = inputs.workloads[at];
  if (at < replays.size()) {
    return fmt::format(" (a seed that caught candidate {} before, replayed first: {}; kept from evaluation {})",
                       replays[at].caught, task::describe(replays[at].input), replays[at].evaluation);
  }
  const operators::StressKind& kind = session.op->stress_kinds()[inputs.kinds[at]];
  return fmt::format(" (difficult input \"{}\": {}; {}{}; trial {} of seed {})", kind.name, kind.what,
                     axes_text(workload), scalars(workload), at - replays.size(), session.seed);
}

}  // namespace

base::Result<PairResult> run_single_inputs(const Session& session) {
  ASSAY_TRY_ASSIGN(const SingleInputs inputs, single_inputs(session));
  task::EvaluationRequest request = *session.request;
  request.incumbent.reset();
  request.workloads = inputs.workloads;
  ASSAY_TRY_ASSIGN(verify::GivenContents given,
                   verify::GivenContents::open(*session.op, request.definition, request.workloads));
  Session trials = alone(session, request, Session::Purpose::stress);
  trials.layouts = &inputs.layouts;
  trials.stress_kinds = &inputs.kinds;
  trials.kept = request.replays;
  trials.given = &given;
  ASSAY_TRY_ASSIGN(PairResult result, run_pair(trials, kStressPair));
  if (result.fault) {
    Fault& fault = *result.fault;
    if (const auto index = fault.findings.empty() ? std::nullopt : fault.findings.front().workload) {
      fault.cause += origin_of(session, inputs, static_cast<std::size_t>(*index));
    }
    for (task::Finding& finding : fault.findings) {
      finding.workload.reset();
    }
  }
  return result;
}

base::Result<PairResult> run_chain(const Session& session) {
  const std::optional<operators::Chain> chain = session.op->chain();
  if (!chain) {
    return PairResult{};
  }
  task::EvaluationRequest request = *session.request;
  request.incumbent.reset();
  request.workloads = {chain->workload};
  ASSAY_TRY_ASSIGN(const verify::Layout layout, verify::make_layout(request.definition, chain->workload));
  const std::vector<verify::Layout> layouts = {layout};
  verify::StateChain followed(*session.op);
  Session trials = alone(session, request, Session::Purpose::chain);
  trials.layouts = &layouts;
  trials.chain = &followed;
  trials.trials = static_cast<int>(chain->steps);
  ASSAY_TRY_ASSIGN(PairResult result, run_pair(trials, kChainPair));
  const bool complete = followed.steps() == chain->steps;
  const bool is_checked = request.probes(task::Probe::output_check) && complete;
  if (std::optional<task::Finding> finding; !result.fault && is_checked && (finding = followed.check())) {
    finding->side = task::Side::candidate;
    result.fault = Fault{task::Side::candidate, task::Outcome::incorrect, finding->message, {*finding}};
  }
  if (result.fault) {
    result.fault->cause += fmt::format(" (a chain of {} calls, {}{}; seed {})", chain->steps,
                                       axes_text(chain->workload), scalars(chain->workload), session.seed);
    for (task::Finding& finding : result.fault->findings) {
      finding.workload.reset();
    }
  }
  return result;
}

base::Result<PairResult> run_trials(const Session& session, task::TrialsRecord& record) {
  task::EvaluationRequest request = *session.request;
  request.incumbent.reset();
  const std::vector<int> spread = task::spread_trials(request);
  Session trials = alone(session, request, Session::Purpose::trials);
  trials.trials = std::max(1, *std::max_element(spread.begin(), spread.end()));
  trials.trials_on.assign(spread.begin(), spread.end());
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
