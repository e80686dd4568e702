#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/file.hpp>
#include <assay/os/sandbox/cgroup.hpp>
#include <assay/os/sandbox/options.hpp>

namespace assay::os {

/// How the descendants of a child are kept from outliving it, and it from outliving us.
enum class Containment : std::uint8_t {
  pid_namespace,  ///< The child runs under a small init in its own PID namespace: when the init dies, all die
                  ///< (kernel).
  process_group,  ///< Only the child's process group is killed; a descendant that calls setsid escapes.
};

[[nodiscard]] std::string_view to_string(Containment containment);

/// Returns the best containment that works here (tried once, then remembered).
[[nodiscard]] Containment best_containment();

/// Limits set in the child before exec (setrlimit). Zero means: leave as it is. Core dumps are always off.
struct ResourceLimits {
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_size_bytes = 0;
  std::uint64_t cpu_seconds = 0;
  std::uint64_t open_files = 0;
  /// Of private writable memory: what bounds a program that reserves addresses without end.
  std::uint64_t data_bytes = 0;
};

struct ProcessOptions {
  std::vector<std::string> argv;                                 ///< argv[0] is a path, or a name to be found on PATH.
  std::vector<std::pair<std::string, std::string>> environment;  ///< The whole environment: nothing is inherited.
  Path working_directory;                                        ///< Empty: ours.
  std::vector<std::pair<int, int>> descriptors;  ///< (ours, number in the child); all others are closed.
  int standard_output = -1;                      ///< Our descriptor to use as stdout; -1: /dev/null.
  int standard_error = -1;                       ///< Likewise stderr. stdin is always /dev/null.
  std::optional<int> cpu;                        ///< Pin to this CPU.
  ResourceLimits limits;
  Containment containment = Containment::pid_namespace;  ///< Falls back to process_group where it does not work.
  /// Shuts the program in with all that works here (sandbox/detect.hpp). argv[0] and the folder are then as seen_path
  /// gives them; `containment` is ignored. Empty: no sandbox.
  std::optional<SandboxOptions> sandbox;
};

/// How a process ended.
struct ExitStatus {
  bool signalled = false;
  int code = 0;  ///< Exit code, or the signal's number if signalled.
  [[nodiscard]] bool success() const { return !signalled && code == 0; }
  /// "exit code 3" or "killed by signal 11 (SIGSEGV)".
  [[nodiscard]] std::string text() const;
};

/// A child process in a session of its own. It is killed, with all its descendants, when the object dies and
/// when we die (PR_SET_PDEATHSIG; fires when the *thread* that spawned it exits, so spawn from a thread that
/// stays). Sets no_new_privs in the child.
class Process {
 public:
  [[nodiscard]] static base::Result<Process> spawn(const ProcessOptions& options);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Waits until the child ends or the time is up (nullopt). Reaps it.
  [[nodiscard]] base::Result<std::optional<ExitStatus>> wait_for(std::chrono::nanoseconds limit);
  /// Kills the child and every descendant and reaps it. Does nothing if it has ended.
  void kill();
  /// Asks the program itself, not what it started, to end (SIGINT): one that keeps an account writes it then. Does
  /// nothing where it has ended or cannot be found.
  void interrupt();
  /// The containment that was had: what was asked for, or less where it does not work.
  [[nodiscard]] Containment containment() const {
    return group_ ? Containment::process_group : Containment::pid_namespace;
  }
  /// The host's PID of the outermost process (the init, where there is one); for logs and tests.
  [[nodiscard]] int pid() const { return pid_; }
  /// Tells whether the kernel has killed something in the child's cgroup for want of memory; after its end too. False
  /// where there is no cgroup.
  [[nodiscard]] bool out_of_memory() const { return out_of_memory_ || (cgroup_ && cgroup_->out_of_memory()); }
  /// A pollable descriptor that becomes readable when the child ends.
  [[nodiscard]] const Fd& pidfd() const { return pidfd_; }

 private:
  Process() = default;
  void reap();
  int pid_ = -1;
  Fd pidfd_;
  Fd status_pipe_;
  bool group_ = false;
  bool out_of_memory_ = false;
  std::optional<Cgroup> cgroup_;
  std::optional<ExitStatus> ended_;
};

/// What a finished command left.
struct CommandResult {
  ExitStatus status;
  bool timed_out = false;
  bool output_truncated = false;
  bool out_of_memory = false;  ///< The kernel killed something in it at its cgroup's limit.
  std::string output;          ///< stdout and stderr, interleaved as they came; at most the limit given.
  std::uint64_t written = 0;   ///< Bytes of output that were read, kept or not.
  std::chrono::nanoseconds wall{};
};

/// Runs a command to its end, collecting its output (the pipe is drained past the limit, so that the child
/// cannot block). Kills it and its descendants at the time limit.
[[nodiscard]] base::Result<CommandResult> run_command(ProcessOptions options, std::chrono::nanoseconds time_limit,
                                                      std::size_t output_limit);

/// Finds a program by its name on PATH, or by its absolute path; nullopt if there is none.
[[nodiscard]] std::optional<Path> find_program(const std::string& name);

/// Makes this process die when its parent does, unreadable to others (PR_SET_DUMPABLE 0) and immune to
/// SIGPIPE.
void harden_this_process();

/// Lets this process be traced and its /proc be read as usual while it lives, and restores what was: a GPU's driver
/// refuses to start in a process that is hardened. No untrusted process may run meanwhile.
class UnhardenedScope {
 public:
  UnhardenedScope();
  ~UnhardenedScope();
  UnhardenedScope(const UnhardenedScope&) = delete;
  UnhardenedScope& operator=(const UnhardenedScope&) = delete;

 private:
  int before_;
};

}  // namespace assay::os
