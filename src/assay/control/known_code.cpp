#include <assay/control/known_code.hpp>

#include <algorithm>

namespace assay::control {

base::Result<std::string> KnownCode::code_of(const std::string& evaluation, const archive::Archive& archive) {
  const auto known = codes_.find(evaluation);
  if (known != codes_.end()) {
    return known->second;
  }
  ASSAY_TRY_ASSIGN(const auto stored, archive.evaluation(evaluation));
  return codes_[evaluation] = stored ? stored->candidate_build.code.machine_code : std::string();
}

base::Result<std::vector<task::KnownCode>> KnownCode::before(int candidate, const CampaignState& state,
                                                             const archive::Archive& archive) {
  std::vector<task::KnownCode> known;
  const auto add = [&](int number, const std::string& evaluation) -> base::Result<void> {
    if (evaluation.empty()) {
      return {};
    }
    ASSAY_TRY_ASSIGN(const std::string code, code_of(evaluation, archive));
    const bool is_new =
        std::none_of(known.begin(), known.end(), [&](const task::KnownCode& one) { return one.machine_code == code; });
    if (!code.empty() && is_new) {
      known.push_back({number, code});
    }
    return {};
  };
  ASSAY_TRY(add(0, state.baseline_evaluation));
  for (const CandidateState& other : state.candidates) {
    if (other.number < candidate) {
      ASSAY_TRY(add(other.number, other.gate_evaluation));
    }
  }
  return known;
}

std::optional<Duplicate> repeated(const task::EvaluationRequest& request, const task::Evaluation& evaluation) {
  if (evaluation.outcome != task::Outcome::duplicate) {
    return std::nullopt;
  }
  const auto found = std::find_if(
      request.known_code.begin(), request.known_code.end(),
      [&](const task::KnownCode& one) { return one.machine_code == evaluation.candidate_build.code.machine_code; });
  return found == request.known_code.end() ? std::nullopt
                                           : std::optional(Duplicate{found->candidate, Sameness::machine_code});
}

}  // namespace assay::control
