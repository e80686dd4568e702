#pragma once

#include <assay/base/json.hpp>
#include <assay/control/agent_run_events.hpp>
#include <assay/task/decoder.hpp>

/// Bodies of the events of agents' runs; event_codec.cpp finds them by the type of the event.
namespace assay::control {

[[nodiscard]] base::Json body_of(const AgentRunIntended& entry);
[[nodiscard]] base::Json body_of(const AgentRunEnded& entry);
[[nodiscard]] base::Json body_of(const BudgetReached& entry);

void read_body(task::Fields& fields, AgentRunIntended& entry);
void read_body(task::Fields& fields, AgentRunEnded& entry);
void read_body(task::Fields& fields, BudgetReached& entry);

}  // namespace assay::control
