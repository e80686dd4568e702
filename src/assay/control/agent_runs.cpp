#include <assay/control/agent_runs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/control/evaluation_costs.hpp>
#include <assay/control/routing.hpp>

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
  if (ending.wall_known) {
    at(actuals, Resource::wall_ms) = {Actual::Certainty::exact, milliseconds_of(ending.wall)};
  }
  at(actuals, Resource::device_ms) = {Actual::Certainty::exact, 0};
  at(actuals, Resource::human_seconds) = {Actual::Certainty::exact, 0};
  return actuals;
}

// How one arm did. Runs that the environment ended say nothing of it; one whose candidate is not judged yet counts as what a
// run was expected to gain, so that a round's runs do not all go to one arm.
ArmRecord record_of(const CampaignState& state, const std::string& arm) {
  ArmRecord record{arm, {}};
  for (const AgentRunState& run : state.runs) {
    if (run.agent != arm || !run.outcome || agent::is_environment(*run.outcome)) {
      continue;
    }
    ArmRun one{run.round > state.rounds_started ? kExpectedGain : 0, run.micro_dollars};
    for (const CandidateState& candidate : state.candidates) {
      if (candidate.name == run.id && candidate.outcome && task::is_correct(*candidate.outcome) &&
          candidate.gate_log_ratio) {
        one.gain = arm_gain(candidate.gate_log_ratio->mean);
      }
    }
    record.runs.push_back(one);
  }
  return record;
}

}  // namespace

base::Result<std::size_t> AgentRuns::choose(const std::vector<std::string>& arms) {
  ASSAY_CHECK(!arms.empty());
  // Chosen already, and the controller died before the run began.
  if (const auto pending = std::find(arms.begin(), arms.end(), state_.arm_pending); pending != arms.end()) {
    return static_cast<std::size_t>(pending - arms.begin());
  }
  std::vector<ArmRecord> records;
  std::transform(arms.begin(), arms.end(), std::back_inserter(records),
                 [&](const std::string& arm) { return record_of(state_, arm); });
  const int number = state_.arms_chosen + 1;
  const std::uint64_t seed = base::mix(configuration_.tuner_seed, base::stream_id(configuration_.name));
  const ArmDecision decision = decide_arm(records, seed, number);
  ASSAY_TRY(record_(ArmChosen{number, arms[decision.arm], decision.why}));
  return decision.arm;
}

base::Result<void> AgentRuns::end_abandoned() {
  std::vector<std::string> abandoned;
  for (const AgentRunState& run : state_.runs) {
    if (!run.outcome) {
      abandoned.push_back(run.id);
    }
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
  ASSAY_TRY(end_abandoned());
  AgentRunIntended entry;
  entry.run = run_id(configuration_, state_);
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

base::Result<void> AgentRuns::keep(const agent::RoundPlan& plan) { return record_(RoundPlanned{plan}); }

base::Result<void> AgentRuns::keep(const agent::Summary& summary) { return record_(CandidatesSummarised{summary}); }

agent::RoleMemory role_memory(const CampaignState& state) {
  agent::RoleMemory memory;
  memory.round = state.rounds_started + 1;
  if (!state.plans.empty() && state.plans.back().round == memory.round) {
    memory.plan = state.plans.back();
  }
  for (const agent::Summary& summary : state.summaries) {
    memory.summarised = summary.up_to;
    for (const agent::JudgedClaim& one : summary.claims) {
      if (one.status == agent::ClaimStatus::checked) {
        memory.lessons.push_back(agent::lesson_of(one));
      }
    }
  }
  return memory;
}

std::string run_id(const CampaignConfiguration& configuration, const CampaignState& state) {
  return fmt::format("{}-run-{}", configuration.name, state.agent_runs + 1);
}

std::vector<agent::EarlierRun> AgentRuns::earlier() const {
  std::vector<agent::EarlierRun> runs;
  for (std::size_t i = 0; i < state_.runs.size(); ++i) {
    // One with tools goes on over rounds, so that it may have been begun in an earlier one.
    if (i >= state_.runs_of_earlier_rounds || !state_.runs[i].outcome) {
      runs.push_back({state_.runs[i].id, state_.runs[i].outcome, state_.runs[i].agent});
    }
  }
  return runs;
}

std::vector<std::string> AgentRuns::of_session(const std::string& session) const {
  std::vector<std::string> ids;
  for (const AgentRunState& run : state_.runs) {
    if (run.outcome && run.session == session) {
      ids.push_back(run.id);
    }
  }
  return ids;
}

std::chrono::nanoseconds AgentRuns::allowed_wall(std::chrono::nanoseconds wanted) const {
  const auto left = state_.ledger.left(Resource::wall_ms);
  if (!left) {
    return wanted;
  }
  if (!state_.runs.empty() && !state_.runs.back().outcome) {
    const auto reserved = state_.ledger.open().find(state_.runs.back().id);
    ASSAY_CHECK(reserved != state_.ledger.open().end());
    return std::min<std::chrono::nanoseconds>(wanted, std::chrono::milliseconds(reserved->second[Resource::wall_ms]));
  }
  const std::int64_t may = *left - kept_for_judging(state_, configuration_)[Resource::wall_ms];
  return std::clamp<std::chrono::nanoseconds>(std::chrono::milliseconds(may), std::chrono::nanoseconds(0), wanted);
}

}  // namespace assay::control
