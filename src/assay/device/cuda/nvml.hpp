#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <assay/base/error.hpp>
#include <assay/device/device_state.hpp>

namespace assay::device::cuda {

/// Why clocks are lower than they could be, in words; bits that say nothing of a kernel's time (idle) are left out. Empty: no reason.
[[nodiscard]] std::string throttle_text(std::uint64_t reasons);

/// NVML for one device. Not thread-safe.
class Nvml {
 public:
  /// Opens the library and finds the device by its uuid ("GPU-…"). Without the library, or if it does not know the
  /// device, an environment error with the remedy.
  [[nodiscard]] static base::Result<std::unique_ptr<Nvml>> open(const std::string& uuid);
  virtual ~Nvml() = default;
  [[nodiscard]] virtual base::Result<DeviceState> state() const = 0;
};

}  // namespace assay::device::cuda
