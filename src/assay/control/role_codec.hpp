#pragma once

#include <assay/base/json.hpp>
#include <assay/control/role_events.hpp>
#include <assay/task/decoder.hpp>

/// Bodies of the events of roles; event_codec.cpp finds them by the type of the event.
namespace assay::control {

[[nodiscard]] base::Json body_of(const RoundPlanned& entry);
[[nodiscard]] base::Json body_of(const CandidatesSummarised& entry);

void read_body(task::Fields& fields, RoundPlanned& entry);
void read_body(task::Fields& fields, CandidatesSummarised& entry);

}  // namespace assay::control
