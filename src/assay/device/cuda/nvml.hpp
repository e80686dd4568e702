#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/device_state.hpp>

namespace assay::device::cuda {

/// Why clocks are lower than they could be, in words; bits that say nothing of a kernel's time (idle) are left out. Empty: no reason.
[[nodiscard]] std::string throttle_text(std::uint64_t reasons);

/// What decides how fast a device may be, and is set from outside: nullopt where NVML does not tell.
struct DeviceSettings {
  std::string driver_version;  ///< "580.159.04"
  std::optional<int> most_sm_mhz;
  std::optional<int> most_memory_mhz;
  /// What `nvidia-smi -ac` asked for. Clocks that were locked (-lgc) NVML does not tell: they show in the readings.
  std::optional<int> application_sm_mhz;
  std::optional<int> application_memory_mhz;
};

/// "SM 1500 MHz of 1980 MHz, memory 3201 MHz of 3201 MHz": what applications get, of what the device could; "unknown" for either.
[[nodiscard]] std::string clock_text(const DeviceSettings& settings);

/// NVML for one device. Not thread-safe.
class Nvml {
 public:
  /// Opens the library and finds the device by its uuid ("GPU-…"). Without the library, or if it does not know the
  /// device, an environment error with the remedy.
  [[nodiscard]] static base::Result<std::unique_ptr<Nvml>> open(const std::string& uuid);
  virtual ~Nvml() = default;
  [[nodiscard]] virtual base::Result<DeviceState> state() const = 0;
  [[nodiscard]] virtual base::Result<DeviceSettings> settings() const = 0;
  /// What part of the time any kernel of any process ran, in the samples that ended after then. A driver keeps some
  /// seconds of them. An environment error where it gives none.
  [[nodiscard]] virtual base::Result<std::vector<BusySample>> busy_samples(std::int64_t after_us) const = 0;
};

}  // namespace assay::device::cuda
