#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/device/cuda/driver.hpp>

/// Code for the GPU that the build made of .cu files (cmake/DeviceCode.cmake) and put into the library.
namespace assay::device::cuda {

/// The fatbin of one .cu file; empty where the build found no nvcc.
using DeviceCode = std::span<const std::byte>;

/// Loads it into the current context. Of an empty one: an environment error. `name` is the .cu file's, for messages.
[[nodiscard]] base::Result<Module> load_device_code(std::string_view name, DeviceCode code);

}  // namespace assay::device::cuda
