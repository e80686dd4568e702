#pragma once

#include <assay/base/json.hpp>
#include <assay/control/routing_events.hpp>
#include <assay/task/decoder.hpp>

/// The body of the event of routing; event_codec.cpp finds it by the type of the event.
namespace assay::control {

[[nodiscard]] base::Json body_of(const ArmChosen& entry);
void read_body(task::Fields& fields, ArmChosen& entry);

}  // namespace assay::control
