#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/evaluate/diagnosis.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/os/file.hpp>
#include <assay/os/process.hpp>
#include <assay/task/sanitizer.hpp>
#include <assay/worker/client.hpp>

namespace assay::evaluate {

/// The exit code that compute-sanitizer is told to end with if it found errors: one that neither it nor a worker has of
/// its own.
inline constexpr int kErrorsFound = 86;

/// Finds compute-sanitizer: $ASSAY_COMPUTE_SANITIZER if set, else PATH, else the CUDA toolkit's usual place. None is an
/// environment error with the remedy. The path is that of the program itself, not of the script that starts it.
[[nodiscard]] base::Result<os::Path> find_compute_sanitizer();

/// How a worker is started under one of its tools.
[[nodiscard]] worker::Watcher watch_with(const os::Path& program, task::Sanitizer sanitizer);

/// What came of the candidate's run under one tool.
struct SanitizedRun {
  /// What the protocol said: the failure of a load or a call, if any.
  std::optional<Fault> fault;
  bool in_time = true;                  ///< No call was cut short.
  std::optional<os::ExitStatus> ended;  ///< How the tool ended; nothing: not within its time.
  std::string text;                     ///< All that it and the candidate printed.
};

/// Decides. Errors were found: `incorrect`, said so by the exit code alone; what they were is read from the text. None
/// were: the protocol's fault, or nothing if the tool also printed its summary. Anything else is an environment error: a
/// tool that did not run is not a tool that found nothing.
[[nodiscard]] base::Result<std::optional<Fault>> conclude_sanitized(task::Sanitizer sanitizer, SanitizedRun run);

/// What the sanitizers of the request's plan found. A log for each tool that ran.
struct Sanitized {
  std::optional<Fault> fault;
  std::vector<std::pair<std::string, std::string>> logs;
};

/// Runs the candidate alone under each tool on task::kSanitizedCalls difficult inputs of the smallest shapes, in fresh
/// processes in the sandbox, on memory that is allocated for each tensor alone. Stops at the first tool that finds
/// something. Values are not checked: other trials do that without a tool.
[[nodiscard]] base::Result<Sanitized> run_sanitizers(const Session& session);

}  // namespace assay::evaluate
