#pragma once

#include <assay/base/error.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/device_peaks.hpp>

namespace assay::device::cuda {

/// Measures what the matrix units of this device do in a nanosecond, by kernels of ours that do nothing else
/// (matrix_kernels.cu): the best of some runs of about a millisecond each, so before power or heat slow them down. Fills in
/// the fields about matrices; makes the context current.
[[nodiscard]] base::Result<void> measure_matrix_peaks(const Context& context, DevicePeaks& peaks);

/// Whether a device of this compute capability has no faster instruction than the one measured by.
[[nodiscard]] bool is_fastest_instruction(int major, bool wgmma);

}  // namespace assay::device::cuda
