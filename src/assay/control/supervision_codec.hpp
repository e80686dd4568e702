#pragma once

#include <assay/base/json.hpp>
#include <assay/control/supervision_events.hpp>
#include <assay/task/decoder.hpp>

/// Bodies of the events of supervision; event_codec.cpp finds them by the type of the event.
namespace assay::control {

[[nodiscard]] base::Json body_of(const SupervisorFound& entry);
[[nodiscard]] base::Json body_of(const DecisionAsked& entry);
[[nodiscard]] base::Json body_of(const DecisionAnswered& entry);
[[nodiscard]] base::Json body_of(const DecisionClosed& entry);
[[nodiscard]] base::Json body_of(const PersonSteered& entry);

void read_body(task::Fields& fields, SupervisorFound& entry);
void read_body(task::Fields& fields, DecisionAsked& entry);
void read_body(task::Fields& fields, DecisionAnswered& entry);
void read_body(task::Fields& fields, DecisionClosed& entry);
void read_body(task::Fields& fields, PersonSteered& entry);

}  // namespace assay::control
