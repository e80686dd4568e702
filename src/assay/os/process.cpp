#include <assay/os/process.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include <assay/os/containment.hpp>
#include <assay/os/deadline.hpp>
#include <assay/os/process_child.hpp>
#include <assay/os/sandbox/detect.hpp>
#include <assay/os/sandbox/namespaces.hpp>

namespace assay::os {
namespace {

base::Result<std::pair<Fd, Fd>> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return base::system_error("process.pipe", "cannot create a pipe", errno);
  }
  return std::pair{Fd(ends[0]), Fd(ends[1])};
}

base::Result<void> check_options(const ProcessOptions& options) {
  if (options.argv.empty()) {
    return base::internal_error("process.no_arguments", "a process needs at least its name in argv");
  }
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  for (const std::string& argument : options.argv) {
    if (has_nul(argument)) {
      return base::input_error("process.argument",
                               fmt::format("an argument of {} contains a NUL byte: remove it", options.argv[0]));
    }
  }
  for (const auto& [name, value] : options.environment) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name) || has_nul(value)) {
      return base::input_error("process.environment",
                               fmt::format("'{}' cannot be an environment variable of {}: the name must not be empty "
                                           "or contain '=', and there must be no NUL byte",
                                           name, options.argv[0]));
    }
  }
  std::set<int> targets = {0, 1, 2};
  for (const auto& [ours, target] : options.descriptors) {
    if (ours < 0 || target < 0 || !targets.insert(target).second) {
      return base::internal_error("process.descriptors",
                                  fmt::format("descriptor {} cannot become {} in a child", ours, target));
    }
  }
  if (options.cpu && (*options.cpu < 0 || *options.cpu >= CPU_SETSIZE)) {
    return base::input_error("process.cpu", fmt::format("there is no CPU {}: give a number from 0", *options.cpu));
  }
  return {};
}

// The path to execute, absolute, because the child changes its folder first.
base::Result<std::string> resolve_program(const std::string& name) {
  if (name.find('/') == std::string::npos) {
    if (const std::optional<Path> found = find_program(name)) {
      return found->string();
    }
    return base::environment_error("process.not_found",
                                   fmt::format("the program {} is not on PATH: install it or correct PATH", name));
  }
  std::error_code error;
  const Path absolute = std::filesystem::absolute(name, error);
  return error ? name : absolute.string();
}

std::vector<ChildLimit> child_limits(const ResourceLimits& limits) {
  std::vector<ChildLimit> result = {{RLIMIT_CORE, 1, 1}};  // 0 would not stop a dump into a pipe.
  const auto add = [&](__rlimit_resource resource, std::uint64_t value, std::uint64_t grace) {
    if (value != 0) {
      result.push_back({resource, value, value + grace});
    }
  };
  add(RLIMIT_AS, limits.address_space_bytes, 0);
  add(RLIMIT_DATA, limits.data_bytes, 0);
  add(RLIMIT_FSIZE, limits.file_size_bytes, 0);
  add(RLIMIT_CPU, limits.cpu_seconds, 1);  // SIGXCPU first, which can be told apart; SIGKILL a second later.
  add(RLIMIT_NOFILE, limits.open_files, 0);
  return result;
}

// Owns what ChildPlan points to.
struct Prepared {
  std::string program;
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string directory;
  cpu_set_t cpus{};
  SandboxPlan sandbox;
  std::uint64_t clone_flags = 0;
  ChildPlan plan;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

// Fills `prepared` in place: the plan points into it.
base::Result<void> prepare(const ProcessOptions& options, const Fd& null, Prepared& prepared) {
  ASSAY_TRY(check_options(options));
  ASSAY_TRY_ASSIGN(prepared.program, resolve_program(options.argv[0]));
  prepared.argv = options.argv;
  for (const auto& [name, value] : options.environment) {
    prepared.environment.push_back(name + "=" + value);
  }
  prepared.directory = options.working_directory.string();
  ChildPlan& plan = prepared.plan;
  plan.program = prepared.program.c_str();
  plan.argv = pointers(prepared.argv);
  plan.environment = pointers(prepared.environment);
  plan.directory = prepared.directory.empty() ? nullptr : prepared.directory.c_str();
  plan.descriptors = options.descriptors;
  plan.descriptors.emplace_back(null.get(), 0);
  plan.descriptors.emplace_back(options.standard_output < 0 ? null.get() : options.standard_output, 1);
  plan.descriptors.emplace_back(options.standard_error < 0 ? null.get() : options.standard_error, 2);
  plan.limits = child_limits(options.limits);
  if (options.cpu) {
    CPU_ZERO(&prepared.cpus);
    CPU_SET(static_cast<std::size_t>(*options.cpu), &prepared.cpus);
    plan.cpus = &prepared.cpus;
  }
  plan.user = ::geteuid();
  plan.group = ::getegid();
  return {};
}

// Decides what keeps the child in: the sandbox, a PID namespace alone, or nothing but its process group.
base::Result<void> contain(const ProcessOptions& options, Prepared& prepared, std::optional<Cgroup>& cgroup) {
  if (!options.sandbox) {
    prepared.clone_flags = options.containment == Containment::pid_namespace ? namespace_flags() : 0;
    prepared.plan.maps_user = (prepared.clone_flags & CLONE_NEWUSER) != 0;
    prepared.plan.mounts_proc = (prepared.clone_flags & CLONE_NEWNS) != 0;
    return {};
  }
  const SandboxSupport& support = sandbox_support();
  if (support.report.applied.without(options.sandbox->leave_out).has(Mechanism::cgroup)) {
    const SandboxOptions& wanted = *options.sandbox;
    ASSAY_TRY_ASSIGN(cgroup, Cgroup::create(*support.cgroups, {wanted.memory_bytes, wanted.processes, wanted.cpus}));
  }
  ASSAY_TRY_ASSIGN(prepared.sandbox, plan_sandbox(*options.sandbox, support, cgroup));
  prepared.clone_flags = clone_flags(prepared.sandbox);
  prepared.plan.sandbox = &prepared.sandbox;
  return {};
}

std::string_view stage_text(ChildStage stage) {
  switch (stage) {
    case ChildStage::user_map:
      return "map its user into a namespace";
    case ChildStage::proc:
      return "mount the /proc of its namespace";
    case ChildStage::fork:
      return "fork in its namespace";
    case ChildStage::parent_died:
      return "find its parent alive";
    case ChildStage::session:
      return "start a session";
    case ChildStage::descriptors:
      return "set up its descriptors";
    case ChildStage::limits:
      return "set its limits";
    case ChildStage::privileges:
      return "give up new privileges";
    case ChildStage::affinity:
      return "run on the CPU asked for";
    case ChildStage::directory:
      return "enter its folder";
    case ChildStage::sandbox:
      return "enter its sandbox";
    case ChildStage::exec:
      return "execute it";
  }
  return "start";
}

tl::unexpected<base::Error> start_error(const ChildFailure& failure, const Prepared& prepared) {
  if (failure.stage == ChildStage::exec && (failure.error == ENOENT || failure.error == ENOTDIR)) {
    return base::environment_error("process.not_found",
                                   fmt::format("the program {} (or the interpreter that it names) does not "
                                               "exist: install it or correct the path",
                                               prepared.program));
  }
  if (failure.stage == ChildStage::exec && failure.error == EACCES) {
    return base::environment_error(
        "process.not_executable",
        fmt::format("the program {} may not be executed: check its permissions (chmod +x)", prepared.program));
  }
  if (failure.stage == ChildStage::sandbox) {
    return base::system_error("process.sandbox",
                              fmt::format("cannot start {} in its sandbox: {} worked before and fails now",
                                          prepared.program, entry_of(failure.mechanism).name),
                              failure.error);
  }
  if (failure.stage == ChildStage::directory) {
    return base::system_error("process.directory",
                              fmt::format("cannot start {} in the folder {}", prepared.program, prepared.directory),
                              failure.error);
  }
  return base::system_error(
      "process.start", fmt::format("cannot start {}: it could not {}", prepared.program, stage_text(failure.stage)),
      failure.error);
}

// Waits until the program has been executed (nothing arrives) or could not be.
std::optional<ChildFailure> read_failure(const Fd& pipe) {
  ChildFailure failure;
  ssize_t count = 0;
  do {
    count = ::read(pipe.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof failure) ? std::optional(failure) : std::nullopt;
}

ExitStatus from_raw(int status) {
  if (WIFSIGNALED(status)) {
    return {true, WTERMSIG(status)};
  }
  return {false, WEXITSTATUS(status)};
}

}  // namespace

std::string ExitStatus::text() const {
  if (!signalled) {
    return fmt::format("exit code {}", code);
  }
  const char* name = ::sigabbrev_np(code);
  return name == nullptr ? fmt::format("killed by signal {}", code)
                         : fmt::format("killed by signal {} (SIG{})", code, name);
}

base::Result<Process> Process::spawn(const ProcessOptions& options) {
  keep_exit_statuses();
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Fd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  if (!null.valid() || !self.valid()) {
    return base::system_error("process.start", "cannot open /dev/null and a pidfd (Linux 5.4 or later is needed)",
                              errno);
  }
  Prepared prepared;
  ASSAY_TRY(prepare(options, null, prepared));
  std::optional<Cgroup> cgroup;
  ASSAY_TRY(contain(options, prepared, cgroup));
  const std::uint64_t flags = prepared.clone_flags;
  ASSAY_TRY_ASSIGN(auto failure_pipe, make_pipe());
  ASSAY_TRY_ASSIGN(auto status_pipe, make_pipe());
  ChildPlan& plan = prepared.plan;
  plan.failure_pipe = failure_pipe.second.get();
  plan.status_pipe = status_pipe.second.get();
  plan.parent_pidfd = self.get();
  plan.has_init = (flags & CLONE_NEWPID) != 0;

  int pidfd = -1;
  int pid = -1;
  int clone_error = 0;
  {
    const BlockedSignals blocked;
    pid = clone_child(flags, &pidfd);
    if (pid == 0) {
      plan.has_init ? run_init(plan) : run_program(plan);
    }
    clone_error = errno;
  }
  if (pid < 0) {
    return base::system_error("process.start", fmt::format("cannot start {}", prepared.program), clone_error);
  }
  Process process;
  process.pid_ = pid;
  process.pidfd_ = Fd(pidfd);
  process.status_pipe_ = std::move(status_pipe.first);
  // The init writes before it ends: there is never anything to wait for, whoever else may hold the other end.
  ::fcntl(process.status_pipe_.get(), F_SETFL, O_NONBLOCK);
  process.group_ = !plan.has_init;
  process.cgroup_ = std::move(cgroup);
  failure_pipe.second.reset();
  status_pipe.second.reset();
  if (const std::optional<ChildFailure> failure = read_failure(failure_pipe.first)) {
    process.kill();
    return start_error(*failure, prepared);
  }
  return process;
}

Process::~Process() { kill(); }

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      status_pipe_(std::move(other.status_pipe_)),
      group_(other.group_),
      out_of_memory_(other.out_of_memory_),
      cgroup_(std::move(other.cgroup_)),
      ended_(other.ended_) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
    status_pipe_ = std::move(other.status_pipe_);
    group_ = other.group_;
    out_of_memory_ = other.out_of_memory_;
    cgroup_ = std::move(other.cgroup_);
    ended_ = other.ended_;
  }
  return *this;
}

void Process::reap() {
  if (group_) {
    // What the program left in its group goes too. The group's number cannot be another's before we reap the
    // leader.
    ::kill(-pid_, SIGKILL);
  }
  const siginfo_t info = wait_for_end(pid_);
  ended_ = ExitStatus{info.si_code != CLD_EXITED, info.si_status};
  int raw = 0;
  if (!group_ && ::read(status_pipe_.get(), &raw, sizeof raw) == static_cast<ssize_t>(sizeof raw)) {
    ended_ = from_raw(raw);
  }
  out_of_memory_ = out_of_memory();
  cgroup_.reset();
}

base::Result<std::optional<ExitStatus>> Process::wait_for(std::chrono::nanoseconds limit) {
  ASSAY_CHECK(pid_ > 0);
  if (ended_) {
    return ended_;
  }
  pollfd entry{pidfd_.get(), POLLIN, 0};
  const int ready = poll_until({&entry, 1}, Deadline(limit));
  if (ready < 0) {
    return base::system_error("process.wait", "cannot wait for a process", errno);
  }
  if (ready == 0) {
    return std::optional<ExitStatus>();
  }
  reap();
  return ended_;
}

void Process::kill() {
  if (pid_ <= 0 || ended_) {
    return;
  }
  // The PID is ours until reap, so it cannot have been given to another process.
  ::kill(pid_, SIGKILL);
  reap();
}

void Process::interrupt() {
  if (pid_ <= 0 || ended_) {
    return;
  }
  if (group_) {
    ::kill(pid_, SIGINT);
    return;
  }
  // The init is deaf, and its first child is the program. Nothing can take that number while the init, which alone reaps
  // it, waits for it; once it has ended, the list is empty or holds an orphan, which dies next anyway.
  const std::string path = fmt::format("/proc/{}/task/{}/children", pid_, pid_);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> children(std::fopen(path.c_str(), "re"), std::fclose);
  int child = 0;
  if (children && std::fscanf(children.get(), "%d", &child) == 1) {
    ::kill(child, SIGINT);
  }
}

void harden_this_process() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::signal(SIGPIPE, SIG_IGN);
}

UnhardenedScope::UnhardenedScope() : before_(::prctl(PR_GET_DUMPABLE)) { ::prctl(PR_SET_DUMPABLE, 1); }

UnhardenedScope::~UnhardenedScope() { ::prctl(PR_SET_DUMPABLE, before_); }

}  // namespace assay::os
