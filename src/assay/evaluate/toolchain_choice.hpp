#pragma once

#include <assay/base/error.hpp>
#include <assay/build/toolchain.hpp>
#include <assay/device/device.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/task/solution.hpp>

namespace assay::evaluate {

/// Finds what builds a solution for a device: the C++ compiler for a CPU; for a CUDA device nvcc, which makes a shared
/// object, or, of a device-only solution, NVRTC, which makes a cubin in half of nvcc's time; nvcc where there is no
/// NVRTC and $ASSAY_NVRTC names none. Which one it was is in the build's record. None is an environment error.
[[nodiscard]] base::Result<build::Toolchain> toolchain_for(const device::Device& device, const task::Solution& solution,
                                                           const JudgeSettings& settings);

}  // namespace assay::evaluate
