#include <algorithm>
#include <cstddef>

#include <assay/control/fold_parts.hpp>

namespace assay::control {
namespace {

// What a limit had ended goes on. A confirmation that was held is kept in `confirmations`; the search may find a better one,
// and what it ends with is confirmed in a session of its own.
void go_on(CampaignState& state) {
  const bool ended_the_search = !state.budget_reached.empty();
  state.search_ended_by_budget = false;
  state.stopped_by_budget = false;
  state.budget_reached.clear();
  if (ended_the_search) {
    state.exhausted = false;
  }
  const bool confirmed = state.phase == Phase::finished || (state.phase == Phase::confirming && !state.pending);
  if (ended_the_search && confirmed) {
    state.phase = Phase::searching;
    state.confirmation.reset();
    state.confirmation_evaluation.clear();
  }
}

}  // namespace

base::Result<void> take(const PersonTimeBooked& entry, CampaignState& state) {
  Amounts amounts;
  amounts[Resource::human_seconds] = entry.seconds;
  state.ledger.book(amounts);
  return {};
}

base::Result<void> take(const BudgetRaised& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(state.phase != Phase::failed, "the campaign has failed"));
  ASSAY_TRY(fits_journal(state.phase != Phase::finished || !state.budget_reached.empty(),
                         "the campaign is finished, and no limit ended it"));
  const Budget& had = state.ledger.budget();
  for (std::size_t i = 0; i < kResources; ++i) {
    ASSAY_TRY(fits_journal(!entry.limits.limits[i] || (had.limits[i] && *had.limits[i] < *entry.limits.limits[i]),
                           "a limit is not raised by it"));
  }
  state.ledger.set_limits(entry.limits);
  state.raises.push_back(entry);
  go_on(state);
  return {};
}

base::Result<void> take(const EvaluationUnaffordable& entry, CampaignState& state) {
  ASSAY_TRY(fits_journal(!state.pending && !state.stopped_by_budget, "nothing is due that costs"));
  ASSAY_TRY(
      fits_journal(!entry.of_search || (may_search(state) && !state.search_ended_by_budget), "no search can end now"));
  (entry.of_search ? state.search_ended_by_budget : state.stopped_by_budget) = true;
  state.budget_reached = entry.why;
  return {};
}

base::Result<void> book_evaluation(const std::string& evaluation, const std::optional<Amounts>& spent,
                                   const std::optional<Purpose>& settled, CampaignState& state) {
  const bool reserved = state.ledger.open().contains(evaluation);
  if (!spent) {
    return fits_journal(!reserved, "it does not say what the evaluation cost");
  }
  if (settled) {
    Amounts& most = state.dearest[*settled];
    for (std::size_t i = 0; i < kResources; ++i) {
      most.values[i] = std::max(most.values[i], spent->values[i]);
    }
  }
  if (!reserved) {
    state.ledger.book(*spent);
    return {};
  }
  Actuals actuals;
  for (std::size_t i = 0; i < kResources; ++i) {
    actuals[i] = {Actual::Certainty::exact, spent->values[i]};
  }
  return fits_journal(state.ledger.settle(evaluation, actuals).has_value(), "nothing was set aside for it");
}

}  // namespace assay::control
