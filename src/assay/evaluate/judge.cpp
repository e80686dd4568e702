#include <assay/evaluate/judge.hpp>

#include <fmt/core.h>

#include <chrono>
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
#include <assay/device/device_peaks.hpp>
#include <assay/evaluate/conclusion.hpp>
#include <assay/evaluate/contestant.hpp>
#include <assay/evaluate/contestant_build.hpp>
#include <assay/evaluate/device_checker.hpp>
#include <assay/evaluate/fingerprint.hpp>
#include <assay/evaluate/host_checker.hpp>
#include <assay/evaluate/kept_peaks.hpp>
#include <assay/evaluate/phase_clock.hpp>
#include <assay/evaluate/repeated_code.hpp>
#include <assay/evaluate/request_check.hpp>
#include <assay/evaluate/session_run.hpp>
#include <assay/evaluate/session_stages.hpp>
#include <assay/evaluate/toolchain_choice.hpp>
#include <assay/evaluate/worker_setup.hpp>
#include <assay/os/sandbox/detect.hpp>
#include <assay/task/definition.hpp>

namespace assay::evaluate {

namespace {

using Clock = std::chrono::steady_clock;

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
    phases_.note("open the device and read the request");
    ASSAY_TRY(os::require_sandbox(os::sandbox_support().report, request_.plan.minimum_sandbox));
    ASSAY_TRY_ASSIGN(const build::Toolchain toolchain, toolchain_for(*means_.device, request_.candidate, settings_));
    ASSAY_TRY_ASSIGN(evaluation.environment, fingerprint(*means_.device, toolchain, settings_));
    if (!request_.disabled_probes.empty()) {
      evaluation.environment.emplace_back("disabled_probes", names(request_.disabled_probes));
    }
    ASSAY_TRY_ASSIGN(const build::Toolchain other, incumbents_toolchain(toolchain));
    phases_.note("find the compiler and describe the machine");
    if (request_.stage != task::Stage::build) {
      ASSAY_TRY(start_workers());
    }
    ASSAY_TRY_ASSIGN(const bool built, build_all(builder(toolchain), builder(other)));
    phases_.note("build");
    if (built && request_.stage == task::Stage::build) {
      conclude(evaluation, task::Outcome::built, "built; nothing was run");
    } else if (std::optional<task::Finding> repeated =
                   built ? repeated_code(judged_.evaluation, request_) : std::nullopt) {
      conclude(evaluation, task::Outcome::duplicate, repeated->message);
      evaluation.findings = {std::move(*repeated)};
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
      conclude(judged_.evaluation, timed_out ? task::Outcome::timed_out : task::Outcome::not_built,
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
    workers_->prepare(workers_surely_needed(request_, *means_.op));
    return {};
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
    std::optional<device::DevicePeaks> peaks;
    if (request_.probes(task::Probe::roofline_floor)) {
      ASSAY_TRY_ASSIGN(peaks, kept_peaks(*means_.device, settings_.cache, Measure::once));
    }
    phases_.note("wait for what was started meanwhile");
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
    session.copy = copy_ ? &*copy_ : nullptr;
    ASSAY_TRY(run_session(session, peaks, official_workers_, phases_, judged_));
    judged_.logs.emplace_back(kOutputLog, read_worker_log(log_));
    return {};
  }

  base::Result<void> reserve_for_all() {
    std::vector<BlockSize> blocks;
    for (std::size_t w = 0; w < request_.workloads.size(); ++w) {
      ASSAY_TRY_ASSIGN(task::AxisValues axes, task::resolve_axes(request_.definition, request_.workloads[w].axes));
      blocks.push_back({std::move(axes), means_.layouts[w].outputs_size});
    }
    return checker_->reserve(blocks);
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
  Judged judged_;
  PhaseClock phases_{judged_.evaluation.phases};
};

}  // namespace

base::Result<Judged> judge_request(const task::EvaluationRequest& request, const JudgeSettings& settings) {
  return Judge(request, settings).run();
}

}  // namespace assay::evaluate
