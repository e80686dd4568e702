#pragma once

#include <assay/base/error.hpp>
#include <assay/build/toolchain.hpp>
#include <assay/device/device.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/task/named.hpp>

namespace assay::evaluate {

/// Finds the compilers that candidates with host code are built with for this device.
[[nodiscard]] base::Result<build::Toolchain> usual_toolchain(const device::Device& device);

/// Returns what decides whether two results may be compared: device, kernel, toolchain, sandbox ("sandbox_level" and a
/// "sandbox_<mechanism>" for each), and the digests of the judge and the worker.
[[nodiscard]] base::Result<task::Named<std::string>> fingerprint(const device::Device& device,
                                                                 const build::Toolchain& toolchain,
                                                                 const JudgeSettings& settings);

}  // namespace assay::evaluate
