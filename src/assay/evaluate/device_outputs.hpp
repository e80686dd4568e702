#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/device_block.hpp>
#include <assay/evaluate/host_checker.hpp>

namespace assay::evaluate {

/// Prepares one side's outputs of one call, which lie on the GPU, and waits until the call may follow. `snapshot`: memory
/// of the judge alone of the same size, for what the call will leave. Block, host and memories outlive it; `host` has
/// adopted the block's inputs, and is asked where the GPU is in doubt.
[[nodiscard]] base::Result<std::unique_ptr<CallOutputs>> prepare_device_outputs(DeviceBlock& block, HostChecker& host,
                                                                                device::CallMemory& memory,
                                                                                device::cuda::DevicePointer snapshot,
                                                                                const OutputPreparation& preparation);

}  // namespace assay::evaluate
