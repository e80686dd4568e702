#pragma once

#include <assay/base/json.hpp>
#include <assay/control/events.hpp>
#include <assay/task/decoder.hpp>

/// The body of the event of proposals, and how a candidate repeats another in those of others.
namespace assay::control {

[[nodiscard]] base::Json body_of(const CandidatesProposed& entry);
void read_body(task::Fields& fields, CandidatesProposed& entry);

[[nodiscard]] base::Json encode_duplicate(const Duplicate& duplicate);
[[nodiscard]] Duplicate read_duplicate(const task::Node& node);

}  // namespace assay::control
