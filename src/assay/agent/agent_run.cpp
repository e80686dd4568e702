#include <assay/agent/agent_run.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <span>

#include <assay/agent/stream_reader.hpp>
#include <assay/base/text.hpp>
#include <assay/os/deadline.hpp>
#include <assay/os/file_stream.hpp>
#include <assay/os/sandbox/detect.hpp>

namespace assay::agent {
namespace {

constexpr const char* kFolderInside = "/agent";
constexpr std::uint64_t kTemporaryBytes = std::uint64_t{256} << 20U;
constexpr std::size_t kErrorBytes = std::size_t{16} << 10U;
// A descendant that escaped may hold a pipe open after the program's end; what is in it is read for so long.
constexpr std::chrono::milliseconds kDrainTime(100);

struct StreamPipe {
  os::Fd ours;
  os::Fd theirs;

  static base::Result<StreamPipe> create() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return base::system_error("agent.pipe", "cannot create a pipe", errno);
    }
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // Our end only: the program must block as usual.
    return StreamPipe{os::Fd(ends[0]), os::Fd(ends[1])};
  }

  [[nodiscard]] pollfd entry() const { return {ours.get(), POLLIN, 0}; }

  // Reads what is there into `buffer`; closes our end at the end of all.
  base::Result<std::string_view> read_into(std::span<char> buffer) {
    const ssize_t count = ours.valid() ? ::read(ours.get(), buffer.data(), buffer.size()) : 0;
    if (count < 0) {
      if (errno == EAGAIN || errno == EINTR) {
        return std::string_view();
      }
      return base::system_error("agent.output", "cannot read what an agent writes", errno);
    }
    if (count == 0) {
      ours.reset();
    }
    return std::string_view(buffer.data(), static_cast<std::size_t>(count));
  }
};

// Takes what a program writes: to the record as it is, to the reader of its events, and the end of its stderr.
class Listener {
 public:
  Listener(const AgentProgram& program, os::FileWriter record, std::size_t record_bytes)
      : record_(std::move(record)), room_(record_bytes) {
    if (program.dialect) {
      reader_ = std::make_unique<StreamReader>(*program.dialect);
    }
  }

  base::Result<void> take_output(std::string_view bytes) {
    if (reader_) {
      reader_->feed(bytes);
    }
    const std::string_view kept = bytes.substr(0, std::min(room_, bytes.size()));
    truncated_ = truncated_ || kept.size() < bytes.size();
    room_ -= kept.size();
    return record_.append(std::as_bytes(std::span(kept)));
  }

  void take_errors(std::string_view bytes) {
    errors_ += bytes;
    if (errors_.size() > 2 * kErrorBytes) {
      errors_.erase(0, errors_.size() - kErrorBytes);
    }
  }

  [[nodiscard]] bool has_told_more_than(const std::optional<std::int64_t>& tokens) const {
    return tokens && reader_ && reader_->tokens_so_far() > *tokens;
  }

  base::Result<void> finish(const RunFacts& facts, AgentRun& run) {
    ASSAY_TRY(record_.finish(os::Durability::process));
    run.record_truncated = truncated_;
    run.errors = base::tail(errors_, kErrorBytes);
    if (reader_) {
      run.summary = reader_->finish(facts);
    } else {
      run.summary.outcome = outcome_of(run.status);
      run.summary.cause = run.status.text();
    }
    return {};
  }

 private:
  std::unique_ptr<StreamReader> reader_;
  os::FileWriter record_;
  std::size_t room_;
  bool truncated_ = false;
  std::string errors_;
};

// Tells whether a path lies in one of the folders that are shown.
bool is_shown(const std::vector<os::SandboxBind>& binds, const os::Path& path) {
  std::error_code error;
  const os::Path real = std::filesystem::weakly_canonical(path, error);
  return std::any_of(binds.begin(), binds.end(), [&](const os::SandboxBind& bind) {
    return !error &&
           std::mismatch(bind.inside.begin(), bind.inside.end(), real.begin(), real.end()).first == bind.inside.end();
  });
}

os::SandboxOptions sandbox_of(const AgentProgram& program, const os::Path& folder, const RunLimits& limits) {
  os::SandboxOptions sandbox;
  sandbox.purpose =
      program.network == Network::host ? os::SandboxPurpose::networked_agent : os::SandboxPurpose::compiler;
  // The folders of the system, and the program alone: what lies beside it may be ours.
  sandbox.binds = os::toolchain_binds("/usr/bin/env");
  if (!is_shown(sandbox.binds, program.argv.front())) {
    sandbox.binds.push_back({program.argv.front(), program.argv.front(), os::SandboxBind::Use::execute});
  }
  sandbox.binds.insert(sandbox.binds.end(), program.binds.begin(), program.binds.end());
  sandbox.binds.push_back({folder, kFolderInside, os::SandboxBind::Use::write});
  sandbox.folders = {{"", "/tmp", kTemporaryBytes}};
  sandbox.memory_bytes = limits.memory_bytes;
  sandbox.processes = limits.processes;
  if (program.network == Network::host) {
    sandbox.leave_out.add(os::Mechanism::network_namespace);
    for (const char* path : {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl"}) {
      std::error_code ignored;
      if (std::filesystem::exists(path, ignored)) {
        sandbox.binds.push_back({path, path, os::SandboxBind::Use::read});
      }
    }
  }
  return sandbox;
}

base::Result<void> check_program(const AgentProgram& program) {
  if (program.argv.empty() || !program.argv.front().starts_with('/')) {
    return base::internal_error("agent.program", "an agent's program is named by its absolute path");
  }
  if (!os::find_program(program.argv.front())) {
    return base::input_error("agent.not_found",
                             fmt::format("{} is no program that can be executed: install it, or name "
                                         "another",
                                         program.argv.front()));
  }
  // Its descendants may leave the process group: only the namespace ends them all.
  if (program.network == Network::host && !os::sandbox_support().report.applied.has(os::Mechanism::pid_namespace)) {
    return base::environment_error("agent.no_pid_namespace",
                                   fmt::format("{} needs the network, and here nothing would end what it starts: {}",
                                               program.name, os::entry_of(os::Mechanism::pid_namespace).remedy));
  }
  return {};
}

// Reads both pipes until the program has ended, interrupting and then killing it when its time is up.
base::Result<void> follow_to_the_end(os::Process& process, StreamPipe& output, StreamPipe& errors, Listener& listener,
                                     const RunLimits& limits, AgentRun& run) {
  std::vector<char> buffer(std::size_t{1} << 16U);
  const auto listen = [&]() -> base::Result<void> {
    ASSAY_TRY_ASSIGN(const std::string_view out, output.read_into(buffer));
    ASSAY_TRY(listener.take_output(out));
    ASSAY_TRY_ASSIGN(const std::string_view err, errors.read_into(buffer));
    listener.take_errors(err);
    return {};
  };
  os::Deadline deadline(limits.wall);
  bool ended = false;
  while (!ended) {
    std::array<pollfd, 4> waiting = {output.entry(), errors.entry(), pollfd{process.pidfd().get(), POLLIN, 0},
                                     pollfd{limits.stop, POLLIN, 0}};
    const int ready = os::poll_until(waiting, deadline);
    if (ready < 0) {
      return base::system_error("agent.wait", "cannot wait for an agent", errno);
    }
    ended = waiting[2].revents != 0;
    if (!ended && waiting[3].revents != 0) {
      process.kill();
      break;
    }
    // A program that writes without end keeps its pipe ready for ever: the clock decides.
    if (!ended && (ready == 0 || deadline.passed())) {
      if (run.timed_out || run.out_of_tokens) {
        process.kill();
        break;
      }
      run.timed_out = true;
      process.interrupt();
      deadline = os::Deadline(limits.grace);
    }
    ASSAY_TRY(listen());
    if (!ended && !run.timed_out && !run.out_of_tokens && listener.has_told_more_than(limits.tokens)) {
      run.out_of_tokens = true;
      process.interrupt();
      deadline = os::Deadline(limits.grace);
    }
  }
  const os::Deadline drained(kDrainTime);
  while ((output.ours.valid() || errors.ours.valid()) && !drained.passed()) {
    std::array<pollfd, 2> waiting = {output.entry(), errors.entry()};
    if (os::poll_until(waiting, drained) <= 0) {
      break;
    }
    ASSAY_TRY(listen());
  }
  return {};
}

}  // namespace

os::Path seen_folder(const os::Path& folder) { return os::seen_path(folder, kFolderInside); }

RunOutcome outcome_of(const os::ExitStatus& status) {
  if (status.signalled) {
    return RunOutcome::interrupted;
  }
  return status.code == 0 ? RunOutcome::finished : RunOutcome::failed;
}

base::Result<AgentRun> run_agent(const AgentProgram& program, const os::Path& folder, const os::Path& record,
                                 const RunLimits& limits, const std::optional<Usage>& before) {
  ASSAY_TRY(check_program(program));
  ASSAY_TRY_ASSIGN(os::FileWriter writer, os::FileWriter::create(record));
  ASSAY_TRY_ASSIGN(StreamPipe output, StreamPipe::create());
  ASSAY_TRY_ASSIGN(StreamPipe errors, StreamPipe::create());
  Listener listener(program, std::move(writer), limits.record_bytes);
  os::ProcessOptions options;
  options.argv = program.argv;
  options.environment = program.environment;
  options.working_directory = seen_folder(folder);
  options.standard_output = output.theirs.get();
  options.standard_error = errors.theirs.get();
  options.limits.file_size_bytes = limits.file_bytes;
  options.sandbox = sandbox_of(program, folder, limits);

  AgentRun run;
  const auto start = std::chrono::steady_clock::now();
  ASSAY_TRY_ASSIGN(os::Process process, os::Process::spawn(options));
  output.theirs.reset();
  errors.theirs.reset();
  ASSAY_TRY(follow_to_the_end(process, output, errors, listener, limits, run));
  ASSAY_TRY_ASSIGN(const std::optional<os::ExitStatus> status, process.wait_for(std::chrono::nanoseconds(0)));
  ASSAY_CHECK(status.has_value());
  run.status = *status;
  run.wall = std::chrono::steady_clock::now() - start;
  RunFacts facts;
  (run.status.signalled ? facts.signal : facts.exit_code) = run.status.code;
  facts.before = before;
  ASSAY_TRY(listener.finish(facts, run));
  if (run.timed_out) {
    run.summary.outcome = RunOutcome::timed_out;
    run.summary.cause = fmt::format("it was ended at its time limit of {}", base::human(limits.wall));
  } else if (run.out_of_tokens) {
    run.summary.outcome = RunOutcome::limit_reached;
    run.summary.cause = fmt::format("it was ended when it had spent more than {} tokens", *limits.tokens);
  }
  return run;
}

}  // namespace assay::agent
