#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/agent/dialect.hpp>
#include <assay/agent/stream_summary.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/os/process.hpp>
#include <assay/os/sandbox/options.hpp>

namespace assay::agent {

/// What an agent's program may reach.
enum class Network : std::uint8_t {
  none,  ///< No socket but those between its own processes; a network namespace of its own where there is one.
  host,  ///< All that this machine reaches: the model's service cannot be told from the rest. Needs a PID namespace.
};

/// How a program is started. Nothing of our own environment is passed on.
struct AgentProgram {
  std::string name;                ///< "codex", "claude", or the program's own: for people and the journal.
  std::optional<Dialect> dialect;  ///< What its stdout is; absent: a log.
  std::vector<std::string> argv;   ///< argv[0] is an absolute path; it lies at the same place in the sandbox.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<os::SandboxBind> binds;  ///< What it needs beside itself and the system's folders.
  Network network = Network::none;
};

struct RunLimits {
  std::chrono::nanoseconds wall = std::chrono::minutes(20);
  /// How long one that was interrupted at its time limit has to write its account, before it is killed.
  std::chrono::nanoseconds grace = std::chrono::seconds(10);
  /// Tokens, in and out: a program whose stream tells of more is interrupted likewise. Claude tells with each message, Codex
  /// when a turn has ended.
  std::optional<std::int64_t> tokens;
  std::uint64_t memory_bytes = std::uint64_t{8} << 30U;
  std::uint64_t processes = 512;
  std::uint64_t file_bytes = std::uint64_t{256} << 20U;  ///< Of one file that it writes; their sum is not bounded.
  std::size_t record_bytes = std::size_t{64} << 20U;     ///< Of its stdout that are kept.
  int stop = -1;  ///< A descriptor of ours: when it becomes readable the program is killed. -1: none.
};

/// How a run went. The files that it left are what it is worth; they are read apart (working_folder.hpp).
struct AgentRun {
  StreamSummary summary;  ///< Of a program without a dialect: its outcome and cause alone.
  os::ExitStatus status;
  bool timed_out = false;
  bool out_of_tokens = false;  ///< It was ended because its stream told of more than it may spend.
  bool record_truncated = false;
  std::string errors;  ///< The end of its stderr.
  std::chrono::nanoseconds wall{};
};

/// Runs a program in `folder`, which is all that it can write to besides a /tmp that vanishes, and writes its stdout to
/// `record`, a new file. It sees the system's programs and libraries, and nothing else of this machine: no device, no
/// source of ours, no archive. At its time limit it is interrupted, and killed with all that it started; its stream is read
/// to where it got, so that what it had spent is known as far as can be. An error is only what is ours or the machine's:
/// a program that cannot be started, say.
[[nodiscard]] base::Result<AgentRun> run_agent(const AgentProgram& program, const os::Path& folder,
                                               const os::Path& record, const RunLimits& limits,
                                               const std::optional<Usage>& before);

/// Where `folder` lies for the program.
[[nodiscard]] os::Path seen_folder(const os::Path& folder);

/// How a program without a dialect ended: by its exit code alone.
[[nodiscard]] RunOutcome outcome_of(const os::ExitStatus& status);

}  // namespace assay::agent
