#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <assay/base/error.hpp>

namespace assay::device::cuda {

/// What NVML says of a GPU at one moment.
struct DeviceState {
  int sm_mhz = 0;
  int memory_mhz = 0;
  int temperature_celsius = 0;
  double power_watts = 0;
  double power_limit_watts = 0;
  std::uint64_t throttle_reasons = 0;  ///< NVML's bits; see throttle_text.
  int processes = 0;                   ///< That hold a compute context, ours and our workers' included.
};

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
