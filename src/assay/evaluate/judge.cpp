#include <assay/evaluate/judge.hpp>

#include <sys/mman.h>
#include <unistd.h>

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
#include <assay/build/cuda_toolchain.hpp>
#include <assay/device/cpu.hpp>
#include <assay/device/cuda/cupti.hpp>
#include <assay/device/device.hpp>
#include <assay/evaluate/contestant.hpp>
#include <assay/evaluate/device_checker.hpp>
#include <assay/evaluate/fingerprint.hpp>
#include <assay/evaluate/host_checker.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/sanitizer_run.hpp>
#include <assay/evaluate/session_flags.hpp>
#include <assay/evaluate/suspicion.hpp>
#include <assay/evaluate/trials.hpp>
#include <assay/evaluate/wording.hpp>
#include <assay/measure/summary.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/sandbox/detect.hpp>
#include <assay/os/shared_memory.hpp>
#include <assay/stats/quantile.hpp>
#include <assay/task/runnable.hpp>
#include <assay/verify/any_operator.hpp>

namespace assay::evaluate {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostRetries = 2;
constexpr std::size_t kLogTail = std::size_t{64} << 10U;
constexpr const char* kCandidateBuildLog = "candidate-build.log";
constexpr const char* kIncumbentBuildLog = "incumbent-build.log";
constexpr const char* kOutputLog = "output.log";
// What a candidate may write to files and logs in all; more is lost, without harm to it.
constexpr std::uint64_t kOutputLimit = std::uint64_t{16} << 20U;
// Arguments of trials that are larger than the request's, places that are tried in a memory.
constexpr std::size_t kSlackOfMemories = std::size_t{16} << 20U;

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
    ASSAY_TRY(understand());
    note_phase("open the device and read the request");
    ASSAY_TRY(os::require_sandbox(os::sandbox_support().report, request_.plan.minimum_sandbox));
    ASSAY_TRY_ASSIGN(const build::Toolchain toolchain, toolchain_for(*device_));
    ASSAY_TRY_ASSIGN(evaluation.environment, fingerprint(*device_, toolchain, settings_));
    if (!request_.disabled_probes.empty()) {
      evaluation.environment.emplace_back("disabled_probes", names(request_.disabled_probes));
    }
    const build::Builder builder(settings_.cache, settings_.include, toolchain,
                                 device::describe_processor().features_sha256);
    note_phase("find the compiler and describe the machine");
    if (request_.stage != task::Stage::build) {
      ASSAY_TRY(start_workers());
    }
    ASSAY_TRY_ASSIGN(const bool built, build_all(builder));
    note_phase("build");
    if (built && request_.stage == task::Stage::build) {
      conclude(task::Outcome::built, "built; nothing was run");
    } else if (built) {
      device_->place_judge();
      ASSAY_TRY(measure_all());
    }
    evaluation.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(judged_);
  }

 private:
  static base::Result<build::Toolchain> toolchain_for(const device::Device& device) {
    const std::string architecture = device.architecture();
    return architecture.empty() ? build::find_toolchain()
                                : build::find_nvcc(architecture, build::ObjectForm::shared_object);
  }

  // Since the last one.
  void note_phase(const char* what) {
    const Clock::time_point now = Clock::now();
    judged_.evaluation.phases.emplace_back(what, std::chrono::duration<double>(now - phase_start_).count());
    phase_start_ = now;
  }

  static std::string names(const task::ProbeSet& probes) {
    std::vector<std::string> words;
    for (const task::Probe probe : probes) {
      words.emplace_back(task::to_string(probe));
    }
    return base::join(words, ",");
  }

  // Everything that can be wrong with a request is found before anything is built.
  base::Result<void> understand() {
    ASSAY_TRY(task::check_timing(request_.plan, request_.device));
    ASSAY_TRY_ASSIGN(device_, device::open_device(request_.device));
    if (task::timing_of(request_).method == base::TimingMethod::cupti) {
      ASSAY_TRY(device::cuda::find_cupti());
    }
    ASSAY_TRY(task::check_runnable(request_.definition, request_.workloads));
    if (request_.workloads.empty()) {
      return base::input_error("request.workloads", "the request names no workload: give at least one");
    }
    const bool compares = request_.stage == task::Stage::gate || request_.stage == task::Stage::sweep;
    if (compares != request_.incumbent.has_value()) {
      return base::input_error("request.incumbent", compares ? "a gate or a sweep needs an incumbent"
                                                             : "only a gate or a sweep takes an incumbent");
    }
    if (!request_.plan.sanitizers.empty()) {
      if (!device_->runs_remotely()) {
        return base::input_error("request.sanitizers",
                                 fmt::format("compute-sanitizer watches what runs on a GPU, and the device is '{}': "
                                             "leave it out, or name one with --device cuda:0",
                                             request_.device));
      }
      ASSAY_TRY(find_compute_sanitizer());
    }
    for (const task::Workload& workload : request_.workloads) {
      ASSAY_TRY(task::check_workload(request_.definition, workload));
      ASSAY_TRY_ASSIGN(verify::Layout layout, verify::make_layout(request_.definition, workload));
      layouts_.push_back(std::move(layout));
    }
    verify::AnyOperatorSettings settings;
    settings.cache = settings_.cache / "references";
    ASSAY_TRY_ASSIGN(op_, verify::open_operator(request_.definition, request_.workloads, settings));
    ASSAY_TRY_ASSIGN(given_, verify::GivenContents::open(*op_, request_.definition, request_.workloads));
    return {};
  }

  // Returns whether there is something to measure.
  base::Result<bool> build_all(const build::Builder& builder) {
    if (settings_.on_progress) {
      settings_.on_progress(0, 1, "building " + request_.candidate.name);
    }
    if (request_.incumbent) {
      ASSAY_TRY_ASSIGN(build::BuildResult result, builder.build(*request_.incumbent, request_.plan.build_limit));
      ASSAY_TRY_ASSIGN(judged_.evaluation.incumbent_build,
                       record(std::move(result), kIncumbentBuildLog, task::Side::incumbent, *request_.incumbent));
      if (!judged_.evaluation.incumbent_build->built) {
        return base::input_error("incumbent.not_built", fmt::format("the incumbent '{}' does not build: {}",
                                                                    request_.incumbent->name, build_complaint_));
      }
    }
    ASSAY_TRY_ASSIGN(build::BuildResult result, builder.build(request_.candidate, request_.plan.build_limit));
    const bool timed_out = result.timed_out;
    ASSAY_TRY_ASSIGN(judged_.evaluation.candidate_build,
                     record(std::move(result), kCandidateBuildLog, task::Side::candidate, request_.candidate));
    if (!judged_.evaluation.candidate_build.built) {
      conclude(timed_out ? task::Outcome::timed_out : task::Outcome::not_built,
               timed_out ? fmt::format("the build took longer than {}", base::human(request_.plan.build_limit))
                         : "it does not build: " + build_complaint_);
    }
    return judged_.evaluation.candidate_build.built;
  }

  base::Result<task::BuildRecord> record(build::BuildResult result, const char* log_file, task::Side side,
                                         const task::Solution& solution) {
    if (result.record.built) {
      ASSAY_TRY_ASSIGN(Contestant contestant, make_contestant(solution, side, result.object, settings_));
      contestants_.push_back(std::move(contestant));
    } else {
      std::vector<task::Finding> findings = compiler_findings(result.log, side);
      build_complaint_ = findings.empty() ? "the compiler said nothing" : findings.front().message;
      if (side == task::Side::candidate) {
        judged_.evaluation.findings = std::move(findings);
      }
    }
    result.record.log_file = log_file;
    judged_.logs.emplace_back(log_file, std::move(result.log));
    return std::move(result.record);
  }

  // On a GPU those that are surely needed are started while the compiler runs.
  base::Result<void> start_workers() {
    log_ = os::Fd(memfd_create("log", MFD_CLOEXEC));
    if (!log_.valid()) {
      return base::system_error("judge.log", "cannot create a memory file for logs", errno);
    }
    std::size_t arguments = 0;
    for (const verify::Layout& layout : layouts_) {
      arguments = std::max(arguments, layout.inputs_size + layout.outputs_size);
    }
    worker::WorkerOptions options;
    options.program = settings_.worker;
    options.log = log_.get();
    options.access = device_->worker_access();
    if (task::timing_of(request_).method == base::TimingMethod::cupti) {
      ASSAY_TRY(device::cuda::add_cupti(options.access));
    }
    options.memory_bytes = request_.plan.worker_memory_bytes + 2 * (arguments + kSlackOfMemories);
    // A GPU's driver reserves far more addresses than there is memory: there what can be written to is bounded.
    (device_->runs_remotely() ? options.limits.data_bytes : options.limits.address_space_bytes) = options.memory_bytes;
    options.limits.file_size_bytes = kOutputLimit;
    options.limits.open_files = 256;
    workers_.emplace(*device_, std::move(options));
    if (device_->runs_remotely()) {
      warm_up_ = std::jthread([this] { device_->warm_up(); });
      const int sides = request_.incumbent ? 2 : 1;
      workers_->prepare(sides * request_.plan.minimum_pairs + (request_.plan.stress_trials > 0 ? 1 : 0) +
                        (request_.official_trials > 0 ? 1 : 0) + (request_.trials > 0 ? 1 : 0));
    }
    return {};
  }

  base::Result<void> measure_all() {
    if (warm_up_.joinable()) {
      warm_up_.join();
    }
    ASSAY_TRY_ASSIGN(checker_, make_device_checker(*device_, *op_));
    if (checker_ == nullptr) {
      checker_ = std::make_unique<HostChecker>(*op_);
    }
    judged_.evaluation.environment.emplace_back("checker", checker_->name());
    judged_.evaluation.environment.emplace_back("inputs", given_->description());
    workers_->settle();
    note_phase("wait for what was started meanwhile");
    const std::unique_ptr<operators::InputGenerator> generator = op_->make_generator(judged_.evaluation.seed);
    Session session;
    session.request = &request_;
    session.settings = &settings_;
    session.device = device_.get();
    session.op = op_.get();
    session.generator = generator.get();
    session.given = &*given_;
    for (const Contestant& contestant : contestants_) {
      session.contestants.push_back(&contestant);
    }
    session.layouts = &layouts_;
    session.checker = checker_.get();
    session.seed = judged_.evaluation.seed;
    session.workers = &*workers_;
    base::Result<void> measured = run_trials_and_pairs(session);
    note_phase("process pairs");
    judged_.logs.emplace_back(kOutputLog, read_log(log_));
    return measured;
  }

  base::Result<void> run_trials_and_pairs(const Session& session) {
    ASSAY_TRY_ASSIGN(canary_before_, device_->time_canary());
    if (request_.official_trials > 0) {
      ASSAY_TRY_ASSIGN(judged_.evaluation.official, run_official_trials(session));
    }
    if (request_.plan.stress_trials > 0) {
      ASSAY_TRY_ASSIGN(PairResult result,
                       with_retries("the process of the trials", [&] { return run_stress_trials(session); }));
      judged_.evaluation.checked_calls += result.checked_calls;
      judged_.evaluation.stress_trials = result.checked_calls;
      note_phase("difficult inputs");
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
    if (request_.trials > 0) {
      task::TrialsRecord& record = judged_.evaluation.trials.emplace();
      ASSAY_TRY_ASSIGN(PairResult result,
                       with_retries("the process of the trials", [&] { return run_trials(session, record); }));
      judged_.evaluation.checked_calls += result.checked_calls;
      note_phase("trials");
      for (const auto& [stage, seconds] : result.stages) {
        judged_.evaluation.phases.emplace_back("trials: " + stage, seconds);
      }
      if (result.fault) {
        return blame(std::move(*result.fault));
      }
    }
    return run_pairs(session);
  }

  static std::string read_log(const os::Fd& log) {
    std::string text(kLogTail * 4, '\0');
    const off_t size = lseek(log.get(), 0, SEEK_END);
    const off_t start = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
    const ssize_t got = pread(log.get(), text.data(), text.size(), start);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return base::tail(base::printable(text), kLogTail);
  }

  base::Result<void> run_pairs(const Session& session) {
    const bool compares = request_.incumbent.has_value();
    std::vector<double> floors;
    for (int pair = 0;; ++pair) {
      if (device_->runs_remotely() && pair >= request_.plan.minimum_pairs) {
        workers_->prepare(compares ? 2 : 1);
        workers_->settle();
      }
      ASSAY_TRY_ASSIGN(PairResult result,
                       with_retries(fmt::format("process pair {}", pair), [&] { return run_pair(session, pair); }));
      judged_.evaluation.checked_calls += result.checked_calls;
      judged_.samples.insert(judged_.samples.end(), result.samples.begin(), result.samples.end());
      floors.insert(floors.end(), result.floors_ns.begin(), result.floors_ns.end());
      interference_.insert(interference_.end(), result.interference.begin(), result.interference.end());
      for (const auto& [side, values] : result.outlived_ns) {
        outlived_ns_[side].insert(outlived_ns_[side].end(), values.begin(), values.end());
      }
      flags_.insert(flags_.end(), result.flags.begin(), result.flags.end());
      for (const auto& [key, shares] : result.idle_shares) {
        idle_shares_[key].insert(idle_shares_[key].end(), shares.begin(), shares.end());
      }
      if (result.readings) {
        judged_.evaluation.device_readings.push_back(std::move(*result.readings));
      }
      add_errors(result.largest_errors);
      if (pair == 0) {  // Later pairs do not measure them.
        bytes_per_ns_ = result.bytes_per_ns;
        least_bytes_ = result.least_bytes;
      }
      judged_.evaluation.timer_floor_ns = floors.empty() ? 0 : stats::median(floors);
      if (result.fault) {
        return blame(std::move(*result.fault));
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

  void add_errors(const std::vector<std::optional<tensor::LargestErrors>>& of_pair) {
    largest_errors_.resize(request_.workloads.size());
    for (std::size_t w = 0; w < of_pair.size(); ++w) {
      if (of_pair[w]) {
        largest_errors_[w] = largest_errors_[w].value_or(tensor::LargestErrors{});
        largest_errors_[w]->add(*of_pair[w]);
      }
    }
  }

  void summarise(int pairs) {
    std::vector<task::WorkloadTiming>& timings = judged_.evaluation.timings;
    timings = measure::summarise(request_, judged_.samples, pairs);
    for (std::size_t w = 0; w < std::min(timings.size(), largest_errors_.size()); ++w) {
      if (largest_errors_[w]) {
        timings[w].largest_absolute_error = largest_errors_[w]->absolute;
        timings[w].largest_relative_error = largest_errors_[w]->relative;
      }
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
                               fmt::format("the incumbent '{}' does not pass, so nothing can be compared with it: {}",
                                           request_.incumbent->name, fault.cause));
    }
    judged_.evaluation.findings = std::move(fault.findings);
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
    if (judgement.testimony == stats::Testimony::contradicted) {
      doubt(irreconcilable(contradicted_text(judgement.comparison, request_)));
      return {};
    }
    if (judgement.testimony == stats::Testimony::unclear) {
      conclude(task::Outcome::indistinguishable, unconfirmed_text(judgement.comparison, request_));
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
      ASSAY_TRY_ASSIGN(const auto after, device_->time_canary());
      evaluation.canary = task::Canary{static_cast<double>(canary_before_->count()),
                                       static_cast<double>(after.value_or(*canary_before_).count())};
      add(flag_changed_device(*evaluation.canary));
    }
    add(flag_throttling(evaluation.device_readings));
    add(flag_other_processes(evaluation.device_readings));
    for (task::Finding& flag : flag_host_bound(idle_shares_)) {
      flags.push_back(std::move(flag));
    }
    flags.insert(flags.end(), flags_.begin(), flags_.end());
    evaluation.findings = std::move(flags);
    return {};
  }

  // Whether the times are not to be believed, and said so.
  bool doubted() {
    if (device_->simulated()) {
      return false;
    }
    if (request_.probes(task::Probe::interference) && doubt(doubt_interference(interference_))) {
      return true;
    }
    if (request_.probes(task::Probe::reconcile) &&
        doubt(doubt_outliving_work(outlived_ns_[task::Side::candidate], outlived_ns_[task::Side::incumbent]))) {
      return true;
    }
    if (request_.probes(task::Probe::roofline_floor) &&
        doubt(doubt_too_fast(judged_.evaluation.timings, least_bytes_, bytes_per_ns_))) {
      return true;
    }
    return request_.probes(task::Probe::reconcile) && doubt(irreconcilable(measure::reconcile(judged_.samples)));
  }

  static std::optional<task::Finding> irreconcilable(std::optional<std::string> sentence) {
    if (!sentence) {
      return std::nullopt;
    }
    task::Finding finding;
    finding.kind = "irreconcilable_time";
    finding.message = std::move(*sentence);
    return finding;
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
  std::unique_ptr<device::Device> device_;
  std::shared_ptr<const operators::Operator> op_;
  std::optional<verify::GivenContents> given_;
  std::vector<verify::Layout> layouts_;
  std::vector<Contestant> contestants_;
  std::unique_ptr<CallChecker> checker_;
  std::string build_complaint_;
  os::Fd log_;
  std::optional<WorkerPool> workers_;
  std::jthread warm_up_;
  Clock::time_point phase_start_ = Clock::now();
  std::vector<double> interference_;
  std::map<task::Side, std::vector<double>> outlived_ns_;
  std::vector<std::optional<tensor::LargestErrors>> largest_errors_;  ///< One a workload, over all pairs.
  std::vector<task::Finding> flags_;
  std::map<std::pair<task::Side, std::int32_t>, std::vector<double>> idle_shares_;  ///< Over all pairs.
  std::optional<std::chrono::nanoseconds> canary_before_;
  std::vector<double> least_bytes_;
  double bytes_per_ns_ = 0;
  Judged judged_;
};

}  // namespace

base::Result<Judged> judge_request(const task::EvaluationRequest& request, const JudgeSettings& settings) {
  return Judge(request, settings).run();
}

}  // namespace assay::evaluate
