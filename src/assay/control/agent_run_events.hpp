#pragma once

#include <string>
#include <string_view>

#include <assay/agent/run_outcome.hpp>
#include <assay/control/ledger.hpp>

/// The events of runs of agents. Kinds of events of a journal, under the rules of events.hpp.
namespace assay::control {

/// A run of an agent is about to be made, and this is set aside for it. Written before it starts, so that one whose
/// controller dies is not free of charge.
struct AgentRunIntended {
  static constexpr std::string_view kKind = "agent_run_intended";
  std::string run;  ///< Its id.
  std::string agent;
  Amounts most;
};

/// A run of an agent has ended. What the ledger books follows from it.
struct AgentRunEnded {
  static constexpr std::string_view kKind = "agent_run_ended";
  std::string run;
  agent::RunOutcome outcome = agent::RunOutcome::truncated;
  std::string cause;
  std::string session;  ///< Empty: it told none.
  std::string model;    ///< Empty: it told none.
  Actuals actuals;
};

/// A run was not made, because the budget does not hold it.
struct BudgetReached {
  static constexpr std::string_view kKind = "budget_reached";
  std::string agent;
  std::string why;
};

}  // namespace assay::control
