#include <assay/control/agent_runs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include <assay/control/supervision.hpp>

namespace assay::control {
namespace {

std::int64_t milliseconds_of(std::chrono::nanoseconds duration) {
  return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

Actual::Certainty certainty_of(agent::Certainty certainty) {
  switch (certainty) {
    case agent::Certainty::exact:
      return Actual::Certainty::exact;
    case agent::Certainty::at_least:
      return Actual::Certainty::at_least;
    case agent::Certainty::unknown:
      break;
  }
  return Actual::Certainty::unknown;
}

std::int64_t tokens_of(const agent::Tokens& tokens) { return tokens.input + tokens.output; }

Actual& at(Actuals& actuals, Resource resource) { return actuals[static_cast<std::size_t>(resource)]; }

// The device and people have accounts of their own; a run of an agent uses neither.
Actuals actuals_of(const agent::RunEnding& ending) {
  Actuals actuals;
  const agent::Spend& spend = ending.spend;
  const Actual::Certainty certainty = certainty_of(spend.certainty);
  at(actuals, Resource::tokens) = {certainty, tokens_of(spend.usage.tokens)};
  const bool nothing_asked = spend.certainty == agent::Certainty::exact && spend.usage.tokens == agent::Tokens();
  if (spend.usage.dollars) {
    at(actuals, Resource::micro_dollars) = {certainty, to_micro_dollars(*spend.usage.dollars)};
  } else if (nothing_asked) {
    at(actuals, Resource::micro_dollars) = {Actual::Certainty::exact, 0};
  }
  at(actuals, Resource::wall_ms) = {Actual::Certainty::exact, milliseconds_of(ending.wall)};
  at(actuals, Resource::device_ms) = {Actual::Certainty::exact, 0};
  at(actuals, Resource::human_seconds) = {Actual::Certainty::exact, 0};
  return actuals;
}

}  // namespace

base::Result<void> AgentRuns::end_abandoned() {
  std::vector<std::string> abandoned;
  for (const auto& [id, amounts] : state_.ledger.open()) {
    abandoned.push_back(id);
  }
  for (const std::string& id : abandoned) {
    AgentRunEnded entry;
    entry.run = id;
    entry.outcome = agent::RunOutcome::interrupted;
    entry.cause = "the controller ended while it ran";
    ASSAY_TRY(record_(entry));
  }
  return {};
}

base::Result<std::string> AgentRuns::intend(const agent::RunIntent& intent) {
  AgentRunIntended entry;
  entry.run = fmt::format("{}-run-{}", configuration_.name, state_.agent_runs + 1);
  entry.agent = intent.agent;
  entry.most[Resource::micro_dollars] = intent.most.dollars ? to_micro_dollars(*intent.most.dollars) : 0;
  entry.most[Resource::tokens] = tokens_of(intent.most.tokens);
  entry.most[Resource::wall_ms] = milliseconds_of(intent.wall);
  Ledger tried = state_.ledger;
  if (auto refused = tried.reserve(entry.run, entry.most); !refused) {
    // Journalled once, for a person to find; the next round asks again, for a budget may be raised.
    ASSAY_TRY(record_(BudgetReached{entry.agent, refused.error().message}));
    return tl::unexpected(std::move(refused.error()));
  }
  ASSAY_TRY(record_(entry));
  return entry.run;
}

base::Result<void> AgentRuns::end(const agent::RunEnding& ending) {
  return record_(
      AgentRunEnded{ending.id, ending.outcome, ending.cause, ending.session, ending.model, actuals_of(ending)});
}

agent::Situation situation_of(const CampaignConfiguration& configuration, const CampaignState& state) {
  agent::Situation situation;
  situation.definition = configuration.definition;
  situation.device = configuration.device;
  situation.interface = "They keep their entry point, " + configuration.baseline.spec.entry_point + ".";
  for (const promote::Regime& regime : state.regimes) {
    agent::RegimeFact fact;
    fact.name = regime.name;
    fact.workloads = regime.members.size();
    fact.baseline_ns = state.baseline_ns[regime.representative];
    fact.latency_share = regime.latency_share;
    situation.regimes.push_back(std::move(fact));
  }
  for (const Resource resource : {Resource::micro_dollars, Resource::tokens, Resource::wall_ms}) {
    if (const auto left = state.ledger.left(resource)) {
      situation.remaining.push_back(amount_text(resource, *left));
    }
  }
  situation.notes = notes_for_proposer(state);
  situation.start_from = state.supervision.parent;
  return situation;
}

}  // namespace assay::control
