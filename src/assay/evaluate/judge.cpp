#include <assay/evaluate/judge.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

#include <assay/base/random.hpp>
#include <assay/base/text.hpp>
#include <assay/base/time.hpp>
#include <assay/build/builder.hpp>
#include <assay/device/cpu.hpp>
#include <assay/device/cuda/cupti.hpp>
#include <assay/device/device.hpp>
#include <assay/evaluate/contestant.hpp>
#include <assay/evaluate/contestant_build.hpp>
#include <assay/evaluate/device_checker.hpp>
#include <assay/evaluate/fingerprint.hpp>
#include <assay/evaluate/host_checker.hpp>
#include <assay/evaluate/kept_peaks.hpp>
#include <assay/evaluate/official_timing.hpp>
#include <assay/evaluate/pair_evidence.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/repeated_code.hpp>
#include <assay/evaluate/request_check.hpp>
#include <assay/evaluate/sanitizer_run.hpp>
#include <assay/evaluate/self_pair.hpp>
#include <assay/evaluate/session_flags.hpp>
#include <assay/evaluate/toolchain_choice.hpp>
#include <assay/evaluate/trials.hpp>
#include <assay/evaluate/wording.hpp>
#include <assay/evaluate/worker_setup.hpp>
#include <assay/measure/summary.hpp>
#include <assay/os/sandbox/detect.hpp>
#include <assay/task/definition.hpp>

namespace assay::evaluate {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostRetries = 2;
constexpr const char* kCandidateBuildLog = "candidate-build.log";
constexpr const char* kIncumbentBuildLog = "incumbent-build.log";
constexpr const char* kOutputLog = "output.log";

std::string names(const task::ProbeSet& probes) {
  std::vector<std::string> words;
  for (const task::Probe probe : probes) {
    words.emplace_back(task::to_string(probe));
  }
  return base::join(words, ",");
}

// Each pair has the same names in the same order.
void add_seconds(task::Named<double>& sums, const task::Named<double>& more) {
  if (sums.empty()) {
    sums = more;
    return;
  }
  for (std::size_t i = 0; i < std::min(sums.size(), more.size()); ++i) {
    sums[i].second += more[i].second;
  }
}

class Judge {
 public:
  Judge(const task::EvaluationRequest& request, const JudgeSettings& settings)
      : request_(request), settings_(settings) {}

  base::Result<Judged> run() {
    const Clock::time_point start = Clock::now();
    task::Evaluation& evaluation = judged_.evaluation;
    evaluation.id = request_.id;
    evaluation.stage = request_.stage;
    evaluation.device = request_.device;
    evaluation.started = base::utc_now();
    evaluation.seed = request_.seed.value_or(base::entropy_seed());
    evaluation.candidate = task::identify(request_.candidate);
    if (request_.incumbent) {
      evaluation.incumbent = task::identify(*request_.incumbent);
    }
    evaluation.timing = task::timing_of(request_);
    ASSAY_TRY_ASSIGN(means_, check_request(request_, settings_));
    note_phase("open the device and read the request");
    ASSAY_TRY(os::require_sandbox(os::sandbox_support().report, request_.plan.minimum_sandbox));
    ASSAY_TRY_ASSIGN(const build::Toolchain toolchain, toolchain_for(*means_.device, request_.candidate, settings_));
    ASSAY_TRY_ASSIGN(evaluation.environment, fingerprint(*means_.device, toolchain, settings_));
    if (!request_.disabled_probes.empty()) {
      evaluation.environment.emplace_back("disabled_probes", names(request_.disabled_probes));
    }
    ASSAY_TRY_ASSIGN(const build::Toolchain other, incumbents_toolchain(toolchain));
    note_phase("find the compiler and describe the machine");
    if (request_.stage != task::Stage::build) {
      ASSAY_TRY(start_workers());
    }
    ASSAY_TRY_ASSIGN(const bool built, build_all(builder(toolchain), builder(other)));
    note_phase("build");
    if (built && request_.stage == task::Stage::build) {
      conclude(task::Outcome::built, "built; nothing was run");
    } else if (std::optional<task::Finding> repeated =
                   built ? repeated_code(judged_.evaluation, request_) : std::nullopt) {
      conclude(task::Outcome::duplicate, repeated->message);
      judged_.evaluation.findings = {std::move(*repeated)};
    } else if (built) {
      means_.device->place_judge();
      ASSAY_TRY(measure_all());
    }
    evaluation.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(judged_);
  }

 private:
  // The candidate's too, unless they are of different tiers.
  base::Result<build::Toolchain> incumbents_toolchain(const build::Toolchain& candidates) {
    if (!request_.incumbent || task::tier_of(*request_.incumbent) == task::tier_of(request_.candidate)) {
      return candidates;
    }
    ASSAY_TRY_ASSIGN(build::Toolchain found, toolchain_for(*means_.device, *request_.incumbent, settings_));
    judged_.evaluation.environment.emplace_back("incumbent_toolchain", found.version);
    return found;
  }

  [[nodiscard]] build::Builder builder(const build::Toolchain& toolchain) const {
    return {settings_.cache, settings_.include, toolchain, device::describe_processor().features_sha256};
  }

  // Of trials always; of pairs, where calls run on a device, together.
  void note_stages(const std::string& of, const task::Named<double>& stages, const task::Named<double>& on_device) {
    for (const auto& [stage, seconds] : stages) {
      judged_.evaluation.phases.emplace_back(of + ": " + stage, seconds);
    }
    for (const auto& [work, seconds] : on_device) {
      judged_.evaluation.phases.emplace_back(of + " on the GPU: " + work, seconds);
    }
  }

  // Since the last one.
  void note_phase(const char* what) {
    const Clock::time_point now = Clock::now();
    judged_.evaluation.phases.emplace_back(what, std::chrono::duration<double>(now - phase_start_).count());
    phase_start_ = now;
  }

  // Returns whether there is something to measure.
  base::Result<bool> build_all(const build::Builder& builder, const build::Builder& incumbents) {
    if (settings_.on_progress) {
      settings_.on_progress(0, 1, "building " + request_.candidate.name);
    }
    if (request_.incumbent) {
      ASSAY_TRY_ASSIGN(BuiltSolution result,
                       build_solution(incumbents, request_, *request_.incumbent, task::Side::incumbent));
      ASSAY_TRY_ASSIGN(judged_.evaluation.incumbent_build,
                       record(std::move(result), kIncumbentBuildLog, task::Side::incumbent, *request_.incumbent));
      if (!judged_.evaluation.incumbent_build->built) {
        return base::input_error("incumbent.not_built", fmt::format("the incumbent '{}' does not build: {}",
                                                                    request_.incumbent->name, build_complaint_));
      }
    }
    ASSAY_TRY_ASSIGN(BuiltSolution result,
                     build_solution(builder, request_, request_.candidate, task::Side::candidate));
    const bool timed_out = result.result.timed_out;
    ASSAY_TRY_ASSIGN(judged_.evaluation.candidate_build,
                     record(std::move(result), kCandidateBuildLog, task::Side::candidate, request_.candidate));
    if (!judged_.evaluation.candidate_build.built) {
      conclude(timed_out ? task::Outcome::timed_out : task::Outcome::not_built,
               timed_out ? fmt::format("the build took longer than {}: the policy sets this limit",
                                       base::human(request_.plan.build_limit))
                         : "it does not build: " + build_complaint_);
    }
    return judged_.evaluation.candidate_build.built;
  }

  base::Result<task::BuildRecord> record(BuiltSolution built, const char* log_file, task::Side side,
                                         const task::Solution& solution) {
    build::BuildResult& result = built.result;
    if (result.record.built) {
      ASSAY_TRY_ASSIGN(Contestant contestant, make_contestant(solution, side, result.object, settings_));
      contestant.plan = std::move(built.plan);
      contestants_.push_back(std::move(contestant));
      if (side == task::Side::incumbent && request_.plan.self_comparison) {
        ASSAY_TRY_ASSIGN(copy_, make_contestant(solution, task::Side::candidate, result.object, settings_));
        copy_->plan = contestants_.back().plan;
      }
    } else {
      build_complaint_ = built.findings.empty() ? "the compiler said nothing" : built.findings.front().message;
      if (side == task::Side::candidate) {
        judged_.evaluation.findings = std::move(built.findings);
      }
    }
    result.record.log_file = log_file;
    judged_.logs.emplace_back(log_file, std::move(result.log));
    return std::move(result.record);
  }

  // Those that are surely needed are started while the compiler runs, which leaves a processor idle.
  base::Result<void> start_workers() {
    ASSAY_TRY_ASSIGN(log_, make_worker_log());
    ASSAY_TRY_ASSIGN(worker::WorkerOptions options, worker_options(request_, means_, settings_, log_));
    workers_.emplace(*means_.device, options);
    if (request_.official_trials > 0 && means_.device->runs_remotely()) {
      if (task::timing_of(request_).method != base::TimingMethod::cupti) {
        ASSAY_TRY(device::cuda::add_cupti(options.access, means_.cupti));
      }
      official_workers_.emplace(*means_.device, std::move(options));
    }
    if (means_.device->runs_remotely()) {
      warm_up_ = std::jthread([this] { means_.device->warm_up(); });
    }
    workers_->prepare(workers_of_a_pair() * request_.plan.minimum_pairs + (has_single_inputs() ? 1 : 0) +
                      (request_.plan.stress_trials > 0 && means_.op->chain() ? 1 : 0) +
                      (request_.official_trials > 0 ? 1 : 0) + (has_trials(task::TrialsTurn::before_timing) ? 1 : 0));
    return {};
  }

  [[nodiscard]] int workers_of_a_pair() const {
    return !request_.incumbent ? 1 : request_.plan.self_comparison ? 4 : 2;
  }

  base::Result<void> measure_all() {
    if (warm_up_.joinable()) {
      warm_up_.join();
    }
    ASSAY_TRY_ASSIGN(checker_, make_device_checker(*means_.device, *means_.op));
    if (checker_ == nullptr) {
      checker_ = std::make_unique<HostChecker>(*means_.op);
    }
    ASSAY_TRY(reserve_for_all());
    judged_.evaluation.environment.emplace_back("checker", checker_->name());
    judged_.evaluation.environment.emplace_back("inputs", means_.given->description());
    workers_->settle();
    if (request_.probes(task::Probe::roofline_floor)) {
      ASSAY_TRY_ASSIGN(peaks_, kept_peaks(*means_.device, settings_.cache, Measure::once));
    }
    note_phase("wait for what was started meanwhile");
    const std::unique_ptr<operators::InputGenerator> generator = means_.op->make_generator(judged_.evaluation.seed);
    Session session;
    session.request = &request_;
    session.settings = &settings_;
    session.device = means_.device.get();
    session.op = means_.op.get();
    session.generator = generator.get();
    session.given = &*means_.given;
    for (const Contestant& contestant : contestants_) {
      session.contestants.push_back(&contestant);
    }
    session.layouts = &means_.layouts;
    session.checker = checker_.get();
    session.seed = judged_.evaluation.seed;
    session.workers = &*workers_;
    base::Result<void> measured = run_trials_and_pairs(session);
    if (means_.device->runs_remotely()) {
      judged_.evaluation.checker_doubts = checker_->doubts();
    }
    note_phase(after_pairs_);
    if (!device_seconds_of_pairs_.empty()) {
      note_stages("pairs", stages_of_pairs_, device_seconds_of_pairs_);
    }
    judged_.logs.emplace_back(kOutputLog, read_worker_log(log_));
    return measured;
  }

  base::Result<void> reserve_for_all() {
    std::vector<BlockSize> blocks;
    for (std::size_t w = 0; w < request_.workloads.size(); ++w) {
      ASSAY_TRY_ASSIGN(task::AxisValues axes, task::resolve_axes(request_.definition, request_.workloads[w].axes));
      blocks.push_back({std::move(axes), means_.layouts[w].outputs_size});
    }
    return checker_->reserve(blocks);
  }

  base::Result<void> run_trials_and_pairs(const Session& session) {
    ASSAY_TRY_ASSIGN(canary_before_, means_.device->time_canary());
    if (request_.official_trials > 0) {
      task::OfficialVerdict& verdict = judged_.evaluation.official.emplace();
      ASSAY_TRY_ASSIGN(verdict, run_official_trials(session));
      ASSAY_TRY(time_officially(session, official_workers_ ? &*official_workers_ : nullptr, verdict));
      official_workers_.reset();
      note_phase("as flashinfer-bench would");
    }
    if (has_single_inputs()) {
      ASSAY_TRY_ASSIGN(PairResult result,
                       with_retries("the process of the trials", [&] { return run_single_inputs(session); }));
      judged_.evaluation.checked_calls += result.checked_calls;
      judged_.evaluation.replayed = std::min(result.checked_calls, static_cast<std::int64_t>(request_.replays.size()));
      judged_.evaluation.stress_trials = result.checked_calls - judged_.evaluation.replayed;
      note_phase("difficult inputs");
      if (result.fault) {
        return blame(std::move(*result.fault));
      }
    }
    if (request_.plan.stress_trials > 0) {
      PairResult result;
      ASSAY_TRY_ASSIGN(result, with_retries("the process of the chain", [&] { return run_chain(session); }));
      judged_.evaluation.checked_calls += result.checked_calls;
      note_phase("a chain of calls");
      if (result.fault) {
        return blame(std::move(*result.fault));
      }
    }
    if (!request_.plan.sanitizers.empty()) {
      ASSAY_TRY_ASSIGN(Sanitized sanitized, run_sanitizers(session));
      std::move(sanitized.logs.begin(), sanitized.logs.end(), std::back_inserter(judged_.logs));
      note_phase("under compute-sanitizer");
      if (sanitized.fault) {
        return blame(std::move(*sanitized.fault));
      }
    }
    if (has_trials(task::TrialsTurn::before_timing)) {
      ASSAY_TRY_ASSIGN(const bool clean, make_trials(session));
      if (!clean) {
        return {};
      }
    }
    ASSAY_TRY(run_pairs(session));
    if (judged_.evaluation.outcome == task::Outcome::better && has_trials(task::TrialsTurn::after_gain)) {
      note_phase("process pairs");
      after_pairs_ = "after the trials";
      if (means_.device->runs_remotely()) {
        workers_->prepare(1);
        workers_->settle();
      }
      ASSAY_TRY_ASSIGN(const bool clean, make_trials(session));
      if (!clean) {  // What is wrong has no speed. The samples stay in the bundle.
        judged_.evaluation.timings.clear();
        judged_.evaluation.comparison.reset();
      }
    }
    return {};
  }

  [[nodiscard]] bool has_single_inputs() const { return request_.plan.stress_trials > 0 || !request_.replays.empty(); }
  [[nodiscard]] bool has_trials(task::TrialsTurn turn) const {
    return request_.trials > 0 && request_.trials_turn == turn;
  }

  // Returns whether nothing was wrong; else the evaluation is concluded.
  base::Result<bool> make_trials(const Session& session) {
    task::TrialsRecord& record = judged_.evaluation.trials.emplace();
    ASSAY_TRY_ASSIGN(PairResult result,
                     with_retries("the process of the trials", [&] { return run_trials(session, record); }));
    count_checks(result);
    note_phase("trials");
    note_stages("trials", result.stages, result.device_seconds);
    if (result.fault) {
      ASSAY_TRY(blame(std::move(*result.fault)));
      return false;
    }
    return true;
  }

  // Of calls on the request's own workloads.
  void count_checks(const PairResult& result) {
    judged_.evaluation.checked_calls += result.checked_calls;
    std::vector<std::int64_t>& clean = judged_.evaluation.clean_on_workloads;
    clean.resize(request_.workloads.size());
    for (std::size_t i = 0; i < result.clean_calls.size(); ++i) {
      clean[i] += result.clean_calls[i];
    }
  }

  base::Result<void> run_pairs(const Session& session) {
    const bool compares = request_.incumbent.has_value();
    for (int pair = 0;; ++pair) {
      if (pair >= request_.plan.minimum_pairs) {
        workers_->prepare(workers_of_a_pair());
        workers_->settle();
      }
      ASSAY_TRY_ASSIGN(PairResult result,
                       with_retries(fmt::format("process pair {}", pair), [&] { return run_pair(session, pair); }));
      count_checks(result);
      judged_.samples.insert(judged_.samples.end(), result.samples.begin(), result.samples.end());
      if (result.readings) {
        judged_.evaluation.device_readings.push_back(std::move(*result.readings));
      }
      evidence_.add(result);
      add_seconds(stages_of_pairs_, result.stages);
      add_seconds(device_seconds_of_pairs_, result.device_seconds);
      judged_.evaluation.timer_floor_ns = evidence_.timer_floor_ns();
      if (result.fault) {
        return blame(std::move(*result.fault));
      }
      if (copy_) {
        ASSAY_TRY_ASSIGN(PairResult self,
                         with_retries(fmt::format("process pair {} of the incumbent with a copy of itself", pair),
                                      [&] { return run_self_pair(session, *copy_, pair); }));
        judged_.samples.insert(judged_.samples.end(), self.samples.begin(), self.samples.end());
        if (self.fault) {
          return blame(std::move(*self.fault));
        }
      }
      const int pairs = pair + 1;
      if (!compares && pairs >= request_.plan.minimum_pairs) {
        summarise(pairs);
        ASSAY_TRY(flag_session());
        if (!doubted()) {
          conclude(task::Outcome::measured, correct_text(judged_.evaluation, request_));
        }
        return {};
      }
      if (compares && pairs >= request_.plan.minimum_pairs) {
        const measure::Judgement judgement = measure::judge(request_, judged_.samples, pairs);
        if (judgement.stop) {
          return finish(judgement, pairs);
        }
      }
    }
  }

  void summarise(int pairs) {
    judged_.evaluation.timings = measure::summarise(request_, judged_.samples, pairs);
    evidence_.add_errors_to(judged_.evaluation.timings);
    if (!means_.device->simulated()) {  // Its clock has nothing to do with this machine's memory.
      evidence_.add_floors_to(judged_.evaluation.timings, peaks_);
    }
  }

  // A worker that is killed from outside is the machine's doing, not the candidate's, until it happens every time.
  template <class Run>
  base::Result<PairResult> with_retries(const std::string& what, Run run) {
    for (int attempt = 0;; ++attempt) {
      ASSAY_TRY_ASSIGN(PairResult result, run());
      if (!result.killed_from_outside || attempt == kMostRetries) {
        return result;
      }
      judged_.evaluation.retries.push_back(
          fmt::format("{} was started again: the worker of the {} was killed from outside (SIGKILL)", what,
                      task::to_string(result.fault->side)));
    }
  }

  base::Result<void> blame(Fault fault) {
    if (fault.side == task::Side::incumbent) {
      return base::input_error("incumbent.failed",
                               fmt::format("the incumbent '{}' fails, so nothing can be compared with it: {}",
                                           request_.incumbent->name, fault.cause));
    }
    judged_.evaluation.findings = std::move(fault.findings);
    if (fault.input) {
      judged_.evaluation.failing_inputs.push_back(std::move(*fault.input));
    }
    std::string where;
    if (const auto& workload = judged_.evaluation.findings.front().workload) {
      where = fmt::format(" (workload {})", describe(request_.workloads[static_cast<std::size_t>(*workload)]));
    }
    conclude(fault.outcome, fault.cause + where);
    return {};
  }

  base::Result<void> finish(const measure::Judgement& judgement, int pairs) {
    summarise(pairs);
    judged_.evaluation.comparison = judgement.comparison;
    ASSAY_TRY(flag_session());
    if (doubted()) {
      return {};
    }
    if (task::holds_as_noise(request_, judged_.evaluation)) {
      task::Finding noise = self_comparison_finding(judgement.comparison, request_);
      conclude(task::Outcome::indistinguishable, noise.message);
      judged_.evaluation.findings.insert(judged_.evaluation.findings.begin(), std::move(noise));
      return {};
    }
    if (judgement.testimony == stats::Testimony::contradicted) {
      doubt(irreconcilable_time(contradicted_text(judgement.comparison, request_)));
      return {};
    }
    if (judgement.testimony == stats::Testimony::unclear) {
      conclude(task::Outcome::indistinguishable, unconfirmed_text(judgement.comparison, request_));
      return {};
    }
    if (std::optional<task::Finding> noise = noise_finding(judgement.standing, judgement.comparison, request_)) {
      conclude(task::Outcome::indistinguishable, noise->message);
      judged_.evaluation.findings.insert(judged_.evaluation.findings.begin(), std::move(*noise));
      return {};
    }
    switch (judgement.conclusion) {
      case stats::PairedConclusion::better:
        conclude(task::Outcome::better, comparison_text(judgement.comparison, request_));
        return {};
      case stats::PairedConclusion::not_better:
        conclude(task::Outcome::not_better, not_better_text(judgement.comparison, request_));
        return {};
      case stats::PairedConclusion::undecided:
        conclude(task::Outcome::indistinguishable, undecided_text(judgement.comparison, request_));
        return {};
    }
    return {};
  }

  // After the last pair: what is to be told beside the outcome. The order is that of weight.
  base::Result<void> flag_session() {
    task::Evaluation& evaluation = judged_.evaluation;
    std::vector<task::Finding> flags;
    const auto add = [&](std::optional<task::Finding> flag) {
      if (flag) {
        flags.push_back(std::move(*flag));
      }
    };
    if (canary_before_) {
      ASSAY_TRY_ASSIGN(const auto after, means_.device->time_canary());
      evaluation.canary = task::Canary{static_cast<double>(canary_before_->count()),
                                       static_cast<double>(after.value_or(*canary_before_).count())};
      add(flag_changed_device(*evaluation.canary));
    }
    add(flag_throttling(evaluation.device_readings));
    add(flag_other_processes(evaluation.device_readings));
    if (task::has_two_clocks(request_)) {
      add(flag_busy_machine(judged_.samples));
    }
    for (task::Finding& flag : evidence_.flags()) {
      flags.push_back(std::move(flag));
    }
    evaluation.findings = std::move(flags);
    return {};
  }

  // Whether the times are not to be believed, and said so.
  bool doubted() {
    return !means_.device->simulated() &&
           doubt(evidence_.doubts(request_, judged_.samples, judged_.evaluation.timings, peaks_));
  }

  bool doubt(std::optional<task::Finding> found) {
    if (found) {
      conclude(task::Outcome::suspect, found->message);
      judged_.evaluation.findings.insert(judged_.evaluation.findings.begin(), std::move(*found));
    }
    return found.has_value();
  }

  void conclude(task::Outcome outcome, std::string cause) {
    judged_.evaluation.outcome = outcome;
    judged_.evaluation.cause = std::move(cause);
  }

  const task::EvaluationRequest& request_;
  const JudgeSettings& settings_;
  RequestMeans means_;
  std::vector<Contestant> contestants_;
  std::optional<Contestant> copy_;  ///< Of the incumbent, where the plan has it timed against itself.
  std::unique_ptr<CallChecker> checker_;
  std::string build_complaint_;
  os::Fd log_;
  std::optional<WorkerPool> workers_;
  std::optional<WorkerPool> official_workers_;  ///< Those that see CUPTI, whatever times the session.
  std::jthread warm_up_;
  Clock::time_point phase_start_ = Clock::now();
  const char* after_pairs_ = "process pairs";
  PairEvidence evidence_;
  std::optional<device::DevicePeaks> peaks_;
  task::Named<double> stages_of_pairs_;
  task::Named<double> device_seconds_of_pairs_;
  std::optional<std::chrono::nanoseconds> canary_before_;
  Judged judged_;
};

}  // namespace

base::Result<Judged> judge_request(const task::EvaluationRequest& request, const JudgeSettings& settings) {
  return Judge(request, settings).run();
}

}  // namespace assay::evaluate
