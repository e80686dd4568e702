#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>

namespace assay::task {

/// How one impostor of one output fared. Trials in which its bytes were those of a right answer (an empty row, say)
/// count for nobody and are left out.
struct ImpostorResult {
  std::string output;
  std::string impostor;  ///< A word of verify/impostor.hpp.
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

/// What the tolerances of a definition can separate; the file admissibility.json of a bundle.
struct Admissibility {
  std::string definition;
  std::uint64_t seed = 0;
  std::int64_t honest_trials = 0;
  std::int64_t honest_passed = 0;  ///< The expected values, rounded to the output's type.
  std::string honest_reason;       ///< Of the first that did not pass.
  std::vector<ImpostorResult> impostors;
  std::vector<InputInfluence> inputs;

  /// Whether the honest always pass, every impostor that was tried is always rejected, and every input that was
  /// perturbed shows. False if nothing was tried.
  [[nodiscard]] bool proved() const;
};

inline constexpr int kAdmissibilityVersion = 1;
[[nodiscard]] base::Json encode(const Admissibility& admissibility);
[[nodiscard]] base::Result<Admissibility> decode_admissibility(const base::Json& json, std::string_view source);

}  // namespace assay::task
