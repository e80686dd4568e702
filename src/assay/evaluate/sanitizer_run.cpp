#include <assay/evaluate/sanitizer_run.hpp>

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <assay/base/text.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/evaluate/call_answer.hpp>
#include <assay/evaluate/call_description.hpp>
#include <assay/evaluate/contestant_loading.hpp>
#include <assay/evaluate/sanitizer_report.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::evaluate {

namespace {

constexpr const char* kUsual = "/usr/local/cuda/bin/compute-sanitizer";
constexpr const char* kRemedy =
    "install the CUDA toolkit's compute-sanitizer, set ASSAY_COMPUTE_SANITIZER to it, or leave sanitizers out";
// Small: a tool makes a kernel some tens of times slower.
constexpr std::uint64_t kLargestArguments = std::uint64_t{256} << 10U;
// A tool keeps a record of every access beside the kernel's own memory.
constexpr std::uint64_t kToolMemory = std::uint64_t{16} << 30U;
constexpr std::uint64_t kToolFiles = std::uint64_t{1} << 30U;
constexpr std::size_t kLogLimit = std::size_t{1} << 20U;

// What is not timed names a method all the same.
constexpr base::Timing kAnyTiming{base::TimingMethod::events, base::CacheState::cold};

// One call on a difficult input.
struct Trial {
  task::Workload workload;
  std::size_t kind = 0;
  verify::Layout layout;
};

base::Result<std::vector<Trial>> make_trials(const Session& session) {
  std::vector<Trial> trials;
  for (int index = 0; index < task::kSanitizedCalls; ++index) {
    operators::StressTrial made =
        session.op->stress_trial(session.seed, static_cast<std::uint64_t>(index), kLargestArguments);
    Trial& trial = trials.emplace_back();
    ASSAY_TRY_ASSIGN(trial.layout, verify::make_layout(session.request->definition, made.workload));
    trial.kind = made.kind;
    trial.workload = std::move(made.workload);
  }
  return trials;
}

// A name on PATH, or a path.
std::optional<os::Path> program_at(const std::string& name) {
  if (name.find('/') == std::string::npos) {
    return os::find_program(name);
  }
  std::error_code ignored;
  const bool runs = std::filesystem::is_regular_file(name, ignored) && access(name.c_str(), X_OK) == 0;
  return runs ? std::optional(os::Path(name)) : std::nullopt;
}

std::string whole_text(const os::Fd& log) {
  const off_t size = lseek(log.get(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, static_cast<off_t>(kLogLimit))), '\0');
  // The end, where the summary is.
  const ssize_t got =
      pread(log.get(), text.data(), text.size(), std::max<off_t>(0, size - static_cast<off_t>(text.size())));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

class Runner {
 public:
  Runner(const Session& session, os::Path program, std::vector<Trial> trials)
      : session_(session), program_(std::move(program)), trials_(std::move(trials)) {}

  base::Result<SanitizedRun> run(task::Sanitizer sanitizer) {
    const os::Fd log(memfd_create("log", MFD_CLOEXEC));
    if (!log.valid()) {
      return base::system_error("judge.log", "cannot create a memory file for logs", errno);
    }
    ASSAY_TRY(make_memories());
    base::Result<worker::WorkerClient> client = start(sanitizer, log);
    if (!client) {
      return base::environment_error(
          "judge.sanitizer",
          fmt::format("compute-sanitizer --tool {} does not start a worker in the sandbox ({}); {}",
                      task::to_string(sanitizer), client.error().text(), last_words_of_sanitizer(whole_text(log))));
    }
    SanitizedRun run;
    ASSAY_TRY(call_all(*client, run));
    if (!run.ended) {
      run.ended = client->finish(task::kSanitizerEnd);
    }
    run.text = base::printable(whole_text(log));
    return run;
  }

 private:
  [[nodiscard]] const Contestant& candidate() const { return *session_.contestants.front(); }
  [[nodiscard]] const task::SessionPlan& plan() const { return session_.request->plan; }

  base::Result<void> make_memories() {
    std::size_t inputs = 1;
    std::size_t outputs = 1;
    for (const Trial& trial : trials_) {
      inputs = std::max(inputs, trial.layout.inputs_size);
      outputs = std::max(outputs, trial.layout.outputs_size);
    }
    ASSAY_TRY_ASSIGN(inputs_, device::make_host_memory(inputs, os::PeerAccess::read_only));
    ASSAY_TRY_ASSIGN(outputs_, device::make_host_memory(outputs, os::PeerAccess::read_write));
    return {};
  }

  base::Result<worker::WorkerClient> start(task::Sanitizer sanitizer, const os::Fd& log) const {
    worker::WorkerOptions options;
    options.program = session_.settings->worker;
    options.log = log.get();
    options.access = session_.device->worker_access();
    options.device_memory = worker::DeviceMemory::copied;
    options.watcher = watch_with(program_, sanitizer);
    options.memory_bytes = plan().worker_memory_bytes + kToolMemory;
    options.limits.file_size_bytes = kToolFiles;
    options.start_limit = task::kSanitizerStart;
    options.device_limit = task::kSanitizerStart;
    options.end_limit = task::kSanitizerEnd;
    session_.device->spread_judge();
    return worker::WorkerClient::start(options);
  }

  // Calls until one fails. What the protocol says goes into `run`.
  base::Result<void> call_all(worker::WorkerClient& client, SanitizedRun& run) {
    const auto load_limit = task::sanitized_limit(plan().load_limit);
    const auto mapped = client.map(inputs_->descriptor(), inputs_->bytes().size(), outputs_->descriptor(),
                                   outputs_->bytes().size(), load_limit);
    if (!mapped) {
      note(mapped.error(), Activity::map, run);
      return {};
    }
    const auto loaded = load_contestant(client, candidate(), load_limit);
    if (!loaded) {
      note(loaded.error(), Activity::load, run);
      return {};
    }
    if (loaded->status != worker::LoadStatus::loaded) {
      return base::environment_error(
          "judge.sanitizer",
          "under compute-sanitizer the loader refuses what it loads without: " + base::printable(loaded->text));
    }
    for (const Trial& trial : trials_) {
      ASSAY_TRY_ASSIGN(
          std::vector<operators::Argument> arguments,
          verify::input_arguments(session_.request->definition, trial.workload, trial.layout, inputs_->bytes()));
      session_.generator->fill_stress(trial.kind, trial.workload, session_.seed, arguments);
      ASSAY_TRY_ASSIGN(const task::AxisValues axes,
                       task::resolve_axes(session_.request->definition, trial.workload.axes));
      const auto described =
          describe_call(candidate(), session_.request->definition, axes, trial.layout, arguments, kAnyTiming);
      if (!described) {
        note(plan_fault(described.error(), task::Side::candidate), task::Outcome::not_built, run);
        return {};
      }
      const auto answer = client.call(*described, task::sanitized_limit(plan().call_limit));
      if (!answer) {
        note(answer.error(), Activity::call, run);
        return {};
      }
      if (std::optional<Complaint> complaint = complaint_about(answer->reply)) {
        note(std::move(complaint->finding), complaint->outcome, run);
        return {};
      }
    }
    return {};
  }

  static void note(task::Finding finding, task::Outcome outcome, SanitizedRun& run) {
    finding.side = task::Side::candidate;
    std::string cause = finding.message;
    run.fault = Fault{task::Side::candidate, outcome, std::move(cause), {std::move(finding)}};
  }

  static void note(const worker::Failure& failure, Activity activity, SanitizedRun& run) {
    run.fault = diagnose(failure, task::Side::candidate, activity, nullptr, std::nullopt);
    run.ended = failure.status;
    run.in_time = failure.kind != worker::Failure::Kind::timed_out;
  }

  const Session& session_;
  os::Path program_;
  std::vector<Trial> trials_;
  std::unique_ptr<device::CallMemory> inputs_;
  std::unique_ptr<device::CallMemory> outputs_;
};

Fault errors_found(task::Sanitizer sanitizer, const std::string& text) {
  const SanitizerReport report = parse_sanitizer_report(text);
  Fault fault;
  fault.outcome = task::Outcome::incorrect;
  const auto add = [&](std::string words) {
    task::Finding finding;
    finding.kind = task::to_string(sanitizer);
    finding.side = fault.side;
    finding.message = fmt::format("compute-sanitizer's {} found: {}", finding.kind, words);
    fault.findings.push_back(std::move(finding));
  };
  for (const SanitizerError& error : report.errors) {
    add(describe(error));
  }
  if (fault.findings.empty()) {
    add("errors, by its exit code; see the log");
  }
  fault.cause = fault.findings.front().message;
  if (report.error_count.value_or(0) > 1) {
    fault.cause += fmt::format(" (and {} more)", *report.error_count - 1);
  }
  return fault;
}

}  // namespace

base::Result<os::Path> find_compute_sanitizer() {
  std::optional<os::Path> found;
  if (const char* chosen = std::getenv("ASSAY_COMPUTE_SANITIZER"); chosen != nullptr && *chosen != '\0') {
    found = program_at(chosen);
    if (!found) {
      return base::environment_error(
          "judge.sanitizer",
          fmt::format("ASSAY_COMPUTE_SANITIZER is '{}', which is not a program: correct or unset it", chosen));
    }
  }
  for (const char* name : {"compute-sanitizer", kUsual}) {
    found = found ? found : program_at(name);
  }
  if (!found) {
    return base::environment_error("judge.sanitizer",
                                   fmt::format("compute-sanitizer is neither on PATH nor at {}: {}", kUsual, kRemedy));
  }
  std::error_code error;
  const os::Path real = std::filesystem::canonical(*found, error);
  if (error) {
    return base::system_error("judge.sanitizer", found->string(), error.value());
  }
  // In a toolkit's bin lies a script that starts the program in a folder beside bin.
  const os::Path program = real.parent_path().parent_path() / "compute-sanitizer" / "compute-sanitizer";
  return std::filesystem::is_regular_file(program, error) ? program : real;
}

worker::Watcher watch_with(const os::Path& program, task::Sanitizer sanitizer) {
  worker::Watcher watcher;
  watcher.program = program;
  watcher.arguments = {"--tool",           std::string(task::to_string(sanitizer)),
                       "--error-exitcode", std::to_string(kErrorsFound),
                       "--launch-timeout", std::to_string(task::kSanitizerStart.count()),
                       "--print-limit",    "50",
                       "--show-backtrace", "no"};
  if (sanitizer == task::Sanitizer::memcheck) {
    // Those of the worker's own would count. A launch that fails shows without a tool.
    watcher.arguments.insert(watcher.arguments.end(), {"--report-api-errors", "no"});
    // Without it arguments lie side by side, and what reads past the end of one reads the next: legal to the tool.
    watcher.arguments.insert(watcher.arguments.end(), {"--padding", "4096"});
  }
  if (sanitizer == task::Sanitizer::racecheck) {
    // Warnings are of accesses that keep their order in a warp, mostly.
    watcher.arguments.insert(watcher.arguments.end(), {"--racecheck-detect-level", "error"});
  }
  // No network inside: its two halves talk by a Unix socket.
  watcher.environment = {{"NV_COMPUTE_SANITIZER_LOCAL_CONNECTION_OVERRIDE", "uds"}};
  return watcher;
}

base::Result<std::optional<Fault>> conclude_sanitized(task::Sanitizer sanitizer, SanitizedRun run) {
  const std::string tool = fmt::format("compute-sanitizer --tool {}", task::to_string(sanitizer));
  if (!run.in_time || !run.ended) {
    return base::environment_error(
        "judge.sanitizer",
        fmt::format("{} did not end in time: raise call_limit_ms, or leave the tool out of the policy; {}", tool,
                    last_words_of_sanitizer(run.text)));
  }
  if (!run.ended->signalled && run.ended->code == kErrorsFound) {
    return errors_found(sanitizer, run.text);
  }
  if (run.fault) {
    run.fault->cause = fmt::format("under {}: {}", tool, run.fault->cause);
    run.fault->findings.front().message = run.fault->cause;
    return std::move(run.fault);
  }
  if (!run.ended->success()) {
    return base::environment_error("judge.sanitizer", fmt::format("{} failed itself ({}); {}", tool, run.ended->text(),
                                                                  last_words_of_sanitizer(run.text)));
  }
  if (!parse_sanitizer_report(run.text).error_count) {
    return base::environment_error("judge.sanitizer", fmt::format("{} ended without a summary: it may not have run; {}",
                                                                  tool, last_words_of_sanitizer(run.text)));
  }
  return std::nullopt;
}

base::Result<Sanitized> run_sanitizers(const Session& session) {
  Sanitized result;
  ASSAY_TRY_ASSIGN(const os::Path program, find_compute_sanitizer());
  ASSAY_TRY_ASSIGN(std::vector<Trial> trials, make_trials(session));
  Session alone = session;
  std::erase_if(alone.contestants,
                [](const Contestant* contestant) { return contestant->side == task::Side::incumbent; });
  Runner runner(alone, program, std::move(trials));
  for (const task::Sanitizer sanitizer : session.request->plan.sanitizers) {
    if (session.settings->on_progress) {
      session.settings->on_progress(0, 1, fmt::format("under compute-sanitizer --tool {}", task::to_string(sanitizer)));
    }
    ASSAY_TRY_ASSIGN(SanitizedRun run, runner.run(sanitizer));
    result.logs.emplace_back(fmt::format("sanitizer-{}.log", task::to_string(sanitizer)), run.text);
    ASSAY_TRY_ASSIGN(result.fault, conclude_sanitized(sanitizer, std::move(run)));
    if (result.fault) {
      break;
    }
  }
  session.device->place_judge();
  return result;
}

}  // namespace assay::evaluate
