#pragma once

#include <span>

#include <assay/operators/operator.hpp>
#include <assay/verify/call_memory.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::evaluate {

/// Translates a layout and its scalars into what the worker is told: offsets, DLPack types, shapes, scalar values.
/// Nothing else of the request crosses the border.
[[nodiscard]] worker::Call describe_call(const verify::Layout& layout, std::span<const operators::Argument> inputs,
                                         const base::Timing& timing);

}  // namespace assay::evaluate
