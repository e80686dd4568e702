#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <assay/foreign/evaluation.hpp>

namespace assay::foreign {

/// What a foreign evaluation failed of.
enum class Failure : std::uint8_t {
  none,
  compile,
  runtime,
  incorrect,
  timeout,
  infrastructure_quota,      ///< The account's limit.
  infrastructure_no_result,  ///< Nothing came back.
  interface_mismatch,        ///< It was built, and lacks the symbol that the harness looks for.
};

/// Those that are failures, in the order in which they are counted. Persisted in their spelling.
inline constexpr std::array<Failure, 7> kFailures = {
    Failure::compile,
    Failure::runtime,
    Failure::incorrect,
    Failure::timeout,
    Failure::infrastructure_quota,
    Failure::infrastructure_no_result,
    Failure::interface_mismatch,
};

[[nodiscard]] std::string_view to_string(Failure failure);

/// Who is to act: the candidate's author, who runs the machines, or who described the interface.
enum class FailureOwner : std::uint8_t { candidate, infrastructure, interface };
[[nodiscard]] FailureOwner owner(Failure failure);

/// Finds what an evaluation failed of, from the recorded label and the message. A message counts only for what its
/// writer may say: that of a run is in the candidate's hands, which can plead neither a quota nor a lost result.
[[nodiscard]] Failure failure_of(const Evaluation& evaluation);

/// Tells whether the evaluation says something about its candidate: with an infrastructure failure it does not.
[[nodiscard]] bool judges_candidate(Failure failure);

}  // namespace assay::foreign
