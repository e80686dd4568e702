#include <assay/control/fold_parts.hpp>

namespace assay::control {

base::Result<void> take(const HypothesisStated& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(state.phase != Phase::finished && state.phase != Phase::failed, "the search is over"));
  return follow(entry, state.memory);
}

base::Result<void> take(const HypothesisTested& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(is_candidate(entry.candidate, state), "there is no such candidate"));
  const CandidateState& candidate = state.candidate(entry.candidate);
  return follow(entry, candidate.sweep_evaluation.empty() ? candidate.gate_evaluation : candidate.sweep_evaluation,
                state.memory);
}

base::Result<void> take(const EvidenceRecorded& entry, CampaignState& state) { return follow(entry, state.memory); }

}  // namespace assay::control
