#pragma once

#include <span>

#include <assay/evaluate/contestant.hpp>
#include <assay/operators/operator.hpp>
#include <assay/verify/call_memory.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::evaluate {

/// Translates a layout and its scalars into what the worker is told: offsets, DLPack types, shapes, scalar values.
/// Nothing else of the request crosses the border.
[[nodiscard]] worker::Call describe_call(const verify::Layout& layout, std::span<const operators::Argument> inputs,
                                         const base::Timing& timing);

/// The same for a contestant, with the launches of a device-only one: an error then, for its plan does not hold for
/// this call.
[[nodiscard]] base::Result<worker::Call> describe_call(const Contestant& contestant, const task::Definition& definition,
                                                       const task::AxisValues& axes, const verify::Layout& layout,
                                                       std::span<const operators::Argument> inputs,
                                                       const base::Timing& timing);

}  // namespace assay::evaluate
