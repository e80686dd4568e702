#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <assay/base/json.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/workload.hpp>

namespace assay::task {

/// The inputs of one call on which a candidate failed: enough for any judge to make them again, byte for byte.
struct FailingInput {
  Workload workload;                       ///< Without what a dataset gives: whoever asks for a replay adds that anew.
  std::optional<std::string> stress_kind;  ///< Of the operator's difficult inputs; absent: inputs as in use.
  std::uint64_t seed = 0;                  ///< Of the session's generator.
  std::uint64_t contents = 0;              ///< Which of the workload's calls.
  std::optional<std::uint64_t> perturbed;  ///< Which one element was changed (operators::InputGenerator::perturb).
  /// Only of contents that a dataset gave: whether they were varied. Absent: they were generated.
  std::optional<bool> varied;
};

/// One that was kept, as a request carries it to be replayed before anything else.
struct KeptInput {
  FailingInput input;
  std::string caught;      ///< Name and digest of the candidate that failed on it first, for people.
  std::string evaluation;  ///< And in which evaluation.
};

/// "difficult input \"ties\": rows 4, seed 7" or "workload 901e5104: rows 4, seed 7".
[[nodiscard]] std::string describe(const FailingInput& input);

[[nodiscard]] base::Json encode(const FailingInput& input);
[[nodiscard]] FailingInput read_failing_input(const Node& node);
[[nodiscard]] base::Json encode(const KeptInput& kept);
[[nodiscard]] KeptInput read_kept_input(const Node& node);

}  // namespace assay::task
