#include <assay/control/fold_parts.hpp>

namespace assay::control {
namespace {

InjectionState& made_injection(int number, CampaignState& state) {
  return state.injections[static_cast<std::size_t>(number - 1)];
}

}  // namespace

base::Result<void> take(const InjectionMade& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(may_search(state), "no injection can begin now"));
  ASSAY_TRY(fits_journal(entry.number == static_cast<int>(state.injections.size()) + 1,
                         "an injection's number is out of order"));
  ASSAY_TRY(fits_journal(entry.of == (entry.kind == InjectionKind::null ? state.incumbent_number() : 0),
                         "it copies neither the incumbent nor the baseline"));
  ASSAY_TRY(fits_journal(entry.round == state.current_round(), "its round is another"));
  state.injections.emplace_back().made = entry;
  return {};
}

base::Result<void> take(const InjectionGated& entry, CampaignState& state) {
  InjectionState& injection = made_injection(entry.injection, state);
  injection.gate_evaluation = entry.evaluation;
  injection.outcome = entry.outcome;
  injection.cause = entry.cause;
  injection.log_ratio = entry.log_ratio;
  injection.passed_gate = entry.outcome == task::Outcome::better;
  return {};
}

base::Result<void> take(const InjectionSwept& entry, CampaignState& state) {
  take_sweep(entry, made_injection(entry.injection, state));
  return {};
}

base::Result<void> take(const NullPromoted& entry, CampaignState& state) {
  ASSAY_TRY(
      fits_journal(is_injection(entry.injection, state) && made_injection(entry.injection, state).decision &&
                       made_injection(entry.injection, state).decision->verdict == promote::Decision::Verdict::promote,
                   "no sweep of it would have promoted it"));
  made_injection(entry.injection, state).alarm = entry.why;
  return {};
}

base::Result<void> take(const InjectionWarned& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(is_injection(entry.injection, state) && made_injection(entry.injection, state).outcome,
                         "it was not judged"));
  made_injection(entry.injection, state).warning = entry.why;
  return {};
}

}  // namespace assay::control
