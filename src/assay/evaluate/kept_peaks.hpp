#pragma once

#include <cstdint>
#include <optional>

#include <assay/base/error.hpp>
#include <assay/device/device.hpp>
#include <assay/device/device_peaks.hpp>
#include <assay/os/file.hpp>

namespace assay::evaluate {

/// Whether what is kept answers, or the device is measured again all the same.
enum class Measure : std::uint8_t { once, again };

/// What the device was measured to do at most. The first time it is measured, and kept in a file of `cache`/peaks under
/// what decides it: the device, its driver, the clocks that were asked for and its power limit. A busy device shows too
/// little, so that of several measurements the larger numbers are kept. A file that cannot be read is measured anew.
/// nullopt: a device without such peaks (a CPU).
[[nodiscard]] base::Result<std::optional<device::DevicePeaks>> kept_peaks(const device::Device& device,
                                                                          const os::Path& cache, Measure measure);

/// Each number the larger of the two; instruction and all else of `now`.
[[nodiscard]] device::DevicePeaks larger_of(const device::DevicePeaks& before, const device::DevicePeaks& now);

}  // namespace assay::evaluate
