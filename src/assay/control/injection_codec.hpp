#pragma once

#include <assay/base/json.hpp>
#include <assay/control/injection_events.hpp>
#include <assay/task/decoder.hpp>

/// Bodies of the events of injections; event_codec.cpp finds them by the type of the event.
namespace assay::control {

[[nodiscard]] base::Json body_of(const InjectionMade& entry);
[[nodiscard]] base::Json body_of(const InjectionGated& entry);
[[nodiscard]] base::Json body_of(const InjectionSwept& entry);
[[nodiscard]] base::Json body_of(const NullPromoted& entry);
[[nodiscard]] base::Json body_of(const InjectionWarned& entry);

void read_body(task::Fields& fields, InjectionMade& entry);
void read_body(task::Fields& fields, InjectionGated& entry);
void read_body(task::Fields& fields, InjectionSwept& entry);
void read_body(task::Fields& fields, NullPromoted& entry);
void read_body(task::Fields& fields, InjectionWarned& entry);

}  // namespace assay::control
