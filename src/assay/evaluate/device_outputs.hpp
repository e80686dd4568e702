#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <assay/device/cuda/pinned_memory.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/device_block.hpp>
#include <assay/evaluate/host_checker.hpp>

namespace assay::evaluate {

/// What the judge keeps of one call: memory of its own alone. Used again for a call of the next block.
struct KeptCall {
  device::cuda::Memory outputs;  ///< As the call left them.
  /// Of the guard bands, then of each output where it differs from what was kept, then what the check has found.
  device::cuda::PinnedMemory words;
};

/// Enqueues the preparation of one side's outputs of one call, which lie on the GPU. Block, host, memory and `kept` outlive
/// it; `host` has adopted the block's inputs, and is asked where the GPU is in doubt.
[[nodiscard]] base::Result<std::unique_ptr<CallOutputs>> prepare_device_outputs(DeviceBlock& block, HostChecker& host,
                                                                                device::CallMemory& memory,
                                                                                KeptCall& kept,
                                                                                const OutputPreparation& preparation);

}  // namespace assay::evaluate
