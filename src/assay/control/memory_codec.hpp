#pragma once

#include <assay/base/json.hpp>
#include <assay/control/memory_events.hpp>
#include <assay/task/decoder.hpp>

/// Bodies of the events of memory; event_codec.cpp finds them by the type of the event.
namespace assay::control {

[[nodiscard]] base::Json body_of(const HypothesisStated& entry);
[[nodiscard]] base::Json body_of(const HypothesisTested& entry);
[[nodiscard]] base::Json body_of(const EvidenceRecorded& entry);

void read_body(task::Fields& fields, HypothesisStated& entry);
void read_body(task::Fields& fields, HypothesisTested& entry);
void read_body(task::Fields& fields, EvidenceRecorded& entry);

}  // namespace assay::control
