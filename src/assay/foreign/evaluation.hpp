#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/task/named.hpp>

namespace assay::foreign {

/// How a foreign record says that an evaluation ended. Spelled as others persist them: "success", "execution_failed",
/// "validation_failed", "framework_error".
enum class Status : std::uint8_t { success, execution_failed, validation_failed, framework_error };

/// The label at the head of the recorded message; the reader refuses others. `none` is a success's.
enum class RecordedKind : std::uint8_t {
  none,
  compile_error,
  runtime_error,
  incorrect_numerical,
  incorrect_shape,
  incorrect_dtype,
  timeout,
  shard_failed,       ///< A part of the remote evaluation came to nothing.
  no_results,         ///< The remote evaluation returned no result.
  framework_timeout,  ///< The limit of what drives the evaluations, not the candidate's.
};

/// What a foreign record says of an attached profile.
struct Profile {
  bool usable = false;
  std::string failure;  ///< Empty if it is usable or the cause was not recorded.
};

/// One workload of a record that has them.
struct WorkloadRow {
  std::string uuid;  ///< Empty if it was not recorded.
  task::Named<std::int64_t> axes;
  std::optional<double> latency_ms;
};

/// One archived evaluation that somebody else made. An absent value was not recorded; it is never zero.
struct Evaluation {
  std::string trace;     ///< The optimisation run; named by its definition.
  std::string id;        ///< Unique in its archive.
  std::string place;     ///< "evaluations.jsonl:12".
  bool archived = true;  ///< In the archive proper, rather than only in the leavings of an iteration.
  std::optional<std::int64_t> iteration;
  std::optional<std::int64_t> round;
  std::optional<std::int64_t> candidate;
  std::optional<std::int64_t> controller_run;  ///< Counts the restarts of the controller.
  std::optional<std::string> solution;         ///< Given when the controller stored the candidate.
  std::optional<std::string> time;             ///< UTC; when it was stored.
  base::Digest source;                         ///< Of the candidate's bytes.
  base::Digest normalised;                     ///< Without comments and blank space, by the archive's own normaliser.
  std::optional<base::Digest> evaluator;       ///< Of the script that measured.
  Status status = Status::success;
  RecordedKind kind = RecordedKind::none;
  std::optional<double> score;
  std::optional<std::int64_t> workloads;
  std::optional<double> latency_ms;            ///< Mean over the workloads; finite and above 0. Every success has it.
  std::optional<double> reference_latency_ms;  ///< Of the reference implementation, likewise.
  std::vector<WorkloadRow> per_workload;       ///< Usually empty.
  std::optional<Profile> profile;
  std::string message;  ///< Of the compiler or the run; the candidate may have written it.

  [[nodiscard]] bool succeeded() const { return status == Status::success; }
  [[nodiscard]] bool stored() const { return solution.has_value() && time.has_value(); }
};

/// A change of the controller's best-so-far. Indices are into TraceArchive::evaluations.
struct Promotion {
  std::string id;
  std::string trace;
  std::int64_t number = 0;  ///< From 1, in its trace.
  std::size_t before = 0;
  std::size_t after = 0;
};

/// The results of other people's optimisation runs.
struct TraceArchive {
  std::vector<Evaluation> evaluations;
  std::vector<Promotion> promotions;
  bool promotions_recorded = false;  ///< In a file; otherwise they were found by replaying the controller's rule.
  std::size_t unfinished = 0;        ///< Candidates without any result.
  std::vector<std::pair<std::string, base::Digest>> files;  ///< What was read, with the digest of its bytes.
  std::vector<std::string> notes;                           ///< What the reader found odd, in sentences.

  /// Names the traces in the order in which they first appear.
  [[nodiscard]] std::vector<std::string> traces() const;
  /// Lists the evaluations of one trace, in their order.
  [[nodiscard]] std::vector<std::size_t> of_trace(const std::string& name) const;
};

}  // namespace assay::foreign
