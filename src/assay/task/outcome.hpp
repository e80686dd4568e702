#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::task {

/// What happened to a candidate: a closed set. The numbers and the spellings (to_string) are persisted and never
/// change; a new outcome is added at the end.
enum class Outcome : std::uint8_t {
  duplicate = 1,  ///< Same content, normalised source or machine code as an earlier candidate; nothing was run.
  not_built = 2,  ///< The compiler, the linker or the loader refused it, or its entry point is missing.
  crashed = 3,    ///< A signal, an exit, or a failure code from the entry point.
  timed_out = 4,  ///< A call, the load or the build exceeded its limit.
  incorrect = 5,  ///< An output, a guard band or an input is not what it must be.
  suspect = 6,    ///< Something that the judge cannot reconcile; never counted as fast.
  protocol_violation = 7,  ///< The worker said something that the protocol does not allow.
  measured = 8,            ///< Correct in every trial and timed, without an incumbent to compare with.
  not_better = 9,          ///< Correct; an improvement of the minimum effect is excluded, or a guard failed.
  indistinguishable = 10,  ///< Correct; the limits were reached with no decision. The incumbent stays.
  better = 11,             ///< Correct, and better than the incumbent by the request's rule.
  built = 12,              ///< Built, and by request nothing else was done (Stage::build).
};

[[nodiscard]] std::string_view to_string(Outcome outcome);
[[nodiscard]] std::optional<Outcome> parse_outcome(std::string_view text);
[[nodiscard]] std::vector<Outcome> all_outcomes();

/// Tells whether every trial was correct and timings exist.
[[nodiscard]] bool is_correct(Outcome outcome);

}  // namespace assay::task
