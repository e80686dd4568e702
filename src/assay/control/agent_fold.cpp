#include <algorithm>
#include <cstddef>

#include <assay/control/fold_parts.hpp>

namespace assay::control {

base::Result<void> take(const AgentRunIntended& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(may_search(state), "no agent can run now"));
  ++state.agent_runs;
  AgentRunState& run = state.runs.emplace_back();
  run.id = entry.run;
  run.agent = entry.agent;
  run.round = state.rounds_started + 1;
  state.arm_pending.clear();
  return fits_journal(state.ledger.reserve(entry.run, entry.most).has_value(), "the budget does not hold the run");
}

base::Result<void> take(const AgentRunEnded& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(state.ledger.settle(entry.run, entry.actuals).has_value(), "nobody intended the run"));
  state.agent_outcomes.push_back(entry.outcome);
  const auto run =
      std::find_if(state.runs.begin(), state.runs.end(), [&](const AgentRunState& one) { return one.id == entry.run; });
  ASSAY_TRY(fits_journal(run != state.runs.end(), "nobody intended the run"));
  run->outcome = entry.outcome;
  const Actual& dollars = entry.actuals[static_cast<std::size_t>(Resource::micro_dollars)];
  if (dollars.certainty != Actual::Certainty::unknown) {
    run->micro_dollars = static_cast<double>(dollars.amount);
  }
  run->session = entry.session;
  run->model = entry.model;
  run->cause = entry.cause;
  return {};
}

base::Result<void> take(const BudgetReached& entry, CampaignState& state) {
  state.budget_reached = entry.why;
  return fits_journal(may_search(state), "no agent can run now");
}

base::Result<void> take(const ArmChosen& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(may_search(state) && entry.number == state.arms_chosen + 1, "no arm can be chosen now"));
  state.arms_chosen = entry.number;
  state.arm_pending = entry.arm;
  return {};
}

base::Result<void> take(const RoundPlanned& entry, CampaignState& state) {
  ASSAY_TRY(
      fits_journal(may_search(state) && entry.plan.round == state.rounds_started + 1, "this round is not planned now"));
  ASSAY_TRY(fits_journal(state.plans.empty() || state.plans.back().round < entry.plan.round, "the round has a plan"));
  for (const agent::PlannedHypothesis& one : entry.plan.hypotheses) {
    ASSAY_TRY(fits_journal(one.parent == 0 || is_candidate(one.parent, state),
                           "a hypothesis has a parent that is no candidate"));
  }
  state.plans.push_back(entry.plan);
  return {};
}

base::Result<void> take(const CandidatesSummarised& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(may_search(state) && is_candidate(entry.summary.up_to, state), "it is about no candidate"));
  ASSAY_TRY(fits_journal(state.summaries.empty() || state.summaries.back().up_to < entry.summary.up_to,
                         "these candidates were summarised"));
  state.summaries.push_back(entry.summary);
  return {};
}

}  // namespace assay::control
