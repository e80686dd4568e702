#pragma once

#include <assay/base/json.hpp>
#include <assay/control/ledger.hpp>
#include <assay/control/spending_events.hpp>
#include <assay/task/decoder.hpp>

/// Bodies of the events of spending, and amounts in those of others; event_codec.cpp finds them by the type of the event.
namespace assay::control {

[[nodiscard]] base::Json body_of(const PersonTimeBooked& entry);
[[nodiscard]] base::Json body_of(const BudgetRaised& entry);
[[nodiscard]] base::Json body_of(const EvaluationUnaffordable& entry);

void read_body(task::Fields& fields, PersonTimeBooked& entry);
void read_body(task::Fields& fields, BudgetRaised& entry);
void read_body(task::Fields& fields, EvaluationUnaffordable& entry);

/// Reads a limit of each resource, or null.
[[nodiscard]] Budget read_budget(const task::Node& node);
/// Reads an amount of each resource.
[[nodiscard]] Amounts read_amounts(const task::Node& node);

}  // namespace assay::control
