#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/definition.hpp>
#include <assay/verify/impostor.hpp>

namespace assay::verify {

/// How one impostor of one output fared. Trials in which its bytes were those of a right answer (an empty row, say)
/// count for nobody and are left out.
struct ImpostorResult {
  std::string output;
  Impostor impostor = Impostor::zeros;
  std::int64_t trials = 0;
  std::int64_t rejected = 0;             ///< By the operator's own rule; all of them, or the tolerance is vacuous.
  std::int64_t officially_rejected = 0;  ///< By the contest's evaluator's; shown, never required.
};

/// Whether a change of an input moves some output beyond its tolerance.
struct InputInfluence {
  std::string input;
  std::int64_t trials = 0;  ///< Perturbations of this input; 0: the operator's generator never perturbs it.
  std::int64_t seen = 0;
};

/// What a tolerance can separate.
struct Admissibility {
  std::int64_t honest_trials = 0;
  std::int64_t honest_passed = 0;  ///< The expected values, rounded to the output's type.
  std::string honest_reason;       ///< Of the first that did not pass.
  std::vector<ImpostorResult> impostors;
  std::vector<InputInfluence> inputs;

  /// Whether the honest always pass, every impostor that was tried is always rejected, and every input that was
  /// perturbed shows.
  [[nodiscard]] bool proved() const;
};

/// Puts an operator's tolerances to the proof on inputs as in use: `calls` calls of each workload, so many perturbations
/// of each. Deterministic in `seed`. Needs no candidate.
[[nodiscard]] base::Result<Admissibility> check_admissibility(const operators::Operator& op,
                                                              const task::Definition& definition,
                                                              std::span<const task::Workload> workloads,
                                                              std::uint64_t seed, int calls);

}  // namespace assay::verify
