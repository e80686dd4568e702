#pragma once

#include <memory>

#include <assay/base/error.hpp>
#include <assay/device/device.hpp>

namespace assay::device::cuda {

/// Opens the CUDA device of this ordinal as a place where candidates run. The judge's own processor work is placed as on
/// the CPU. An environment error says what is missing: the driver, the device, or GPU code in this build.
[[nodiscard]] base::Result<std::unique_ptr<Device>> make_device(int ordinal);

/// Returns the architecture to build for on a device of a compute capability: "sm_80" for 8.0, "sm_90a" for 9.0,
/// "sm_100a" for 10.0. From 9.0 on it is the one with the features of exactly that chip (the matrix instructions of
/// Hopper and Blackwell are among them): a candidate is built on the machine that it is measured on. Below 7.5, which
/// CUDA 13 no longer knows, it is an environment error.
[[nodiscard]] base::Result<std::string> architecture_of(int major, int minor);

/// Finds what a contained process must see to use CUDA: the driver's libraries beside the libcuda that this process has
/// loaded, and the device nodes.
[[nodiscard]] WorkerAccess find_driver_files(int ordinal);

}  // namespace assay::device::cuda
