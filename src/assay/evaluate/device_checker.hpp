#pragma once

#include <memory>

#include <assay/device/device.hpp>
#include <assay/evaluate/call_checker.hpp>

namespace assay::evaluate {

/// Makes a checker that leaves bulk work to the GPU: poison, guard bands, digests, the reference (in float64, before the
/// block's calls, from the judge's own inputs) and the comparison with what a call had left when it returned. Only what
/// is surely right is decided there; of what is not, inputs and outputs go through HostChecker, which alone rejects and
/// words findings. nullptr where candidates run on no GPU, the definition has no reference or no comparison there, or
/// the build holds no GPU code: then HostChecker does it all. `op` outlives it; for the calling thread, on which the
/// device's context becomes current.
[[nodiscard]] base::Result<std::unique_ptr<CallChecker>> make_device_checker(const device::Device& device,
                                                                             const operators::Operator& op);

}  // namespace assay::evaluate
