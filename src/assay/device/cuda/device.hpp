#pragma once

#include <memory>

#include <assay/base/error.hpp>
#include <assay/device/device.hpp>

namespace assay::device::cuda {

/// Opens the CUDA device of this ordinal as a place where candidates run. The judge's own processor work is placed as on
/// the CPU. An environment error says what is missing: the driver, the device, or GPU code in this build.
[[nodiscard]] base::Result<std::unique_ptr<Device>> make_device(int ordinal);

/// "sm_90a" for compute capability 9.0: the features of that very generation where there are such.
[[nodiscard]] std::string architecture_of(int major, int minor);

/// Finds what a contained process must see to use CUDA: the driver's libraries beside the libcuda that this process has
/// loaded, and the device nodes.
[[nodiscard]] WorkerAccess find_driver_files(int ordinal);

}  // namespace assay::device::cuda
