#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/archive/built_code.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/base/timing.hpp>
#include <assay/promote/decision.hpp>
#include <assay/promote/reported_interval.hpp>
#include <assay/service/context.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::service {

/// Whether a verdict that is in the archive already answers the question.
enum class Reuse : std::uint8_t { stored, never };

/// Whether a candidate that was built to the incumbent's machine code is timed against it all the same (A/A).
enum class Twins : std::uint8_t { refuse, measure };

/// What `EvaluateOptions::against` says where there is nothing to compare with.
inline constexpr const char* kNothing = "none";

struct EvaluateOptions {
  std::string candidate;           ///< A source file, a solution file, a name in the dataset, or a digest.
  std::string definition;          ///< Empty: the only one of the dataset.
  std::string against;             ///< Empty: the dataset's baseline; kNothing: the candidate is measured alone.
  std::string policy = "quick";    ///< A built-in name or a TOML file.
  std::string workloads = "gate";  ///< "gate", "all", or UUIDs.
  std::string device = "cpu";
  std::optional<base::TimingMethod> clock;  ///< Absent: the policy's, or the device's own.
  std::optional<base::CacheState> cache;    ///< Absent: the policy's.
  bool official = false;  ///< Also say what the contest's own evaluator would (`--compat flashinfer-bench`).
  bool sanitize = false;  ///< Run it under all tools of compute-sanitizer first, whatever the policy says.
  int trials = 0;  ///< Checked calls before anything is timed, over all workloads together; 0: as the policy says.
  Reuse reuse = Reuse::stored;
  Twins twins = Twins::refuse;  ///< With Reuse::never they are measured in any case.
};

/// Where an answer comes from. Spelled "measured", "stored", "stored_same_source", "incumbent_same_source" in JSON.
enum class Origin : std::uint8_t {
  measured,               ///< By this very command.
  stored,                 ///< The same candidate, byte for byte, was judged before under the same conditions.
  stored_same_source,     ///< Another candidate was that differs in comments and blank space only.
  incumbent_same_source,  ///< The candidate is the incumbent but for comments and blank space: nothing was run.
};

[[nodiscard]] std::string_view to_string(Origin origin);

/// A verdict with all that a person wants to see beside it.
struct EvaluateReport {
  Origin origin = Origin::measured;
  std::string same_source_as;  ///< Name of the candidate that is meant by the last two origins.
  task::EvaluationRequest request;
  task::Evaluation evaluation;  ///< Without an id, and a `duplicate`, for incumbent_same_source: not archived.
  std::vector<std::string> compiler_errors;   ///< The first lines of the candidate's build log that tell why.
  std::optional<promote::Decision> decision;  ///< For sweeps: recomputed from the samples.
  /// Of a comparison, from its samples: for people, beside the interval that decided.
  std::optional<promote::ReportedInterval> reported;
  /// One sentence for each constraint of the definition that a workload of the request violates. Nothing was refused.
  std::vector<std::string> violated_constraints;
  /// How many inputs that caught candidates since are not part of an answer from the archive.
  std::size_t missed_replays = 0;
  /// A sentence, if the archive has an answer to the same question under other conditions: what differs. Else empty.
  std::string elsewhere;
  /// The other candidates of the definition that were built to the same code, and at which level: a difference that was
  /// measured between two of one machine code is noise.
  std::vector<archive::SameBuild> same_builds;
  os::Path archive;
};

/// Judges one candidate against the incumbent and archives the result. A candidate that fails is a report, not an error.
[[nodiscard]] base::Result<EvaluateReport> evaluate(const Context& context, const EvaluateOptions& options);

/// Encodes for programs: origin, names, the evaluation as it is archived, the decision.
[[nodiscard]] base::Json encode(const EvaluateReport& report);

/// Returns the lines of a compiler's log that say why it failed: from the first "error" on, at most `limit` lines.
[[nodiscard]] std::vector<std::string> first_errors(std::string_view log, std::size_t limit);

}  // namespace assay::service
