#pragma once

#include <cstdint>
#include <string>

namespace assay::device {

/// What a device says of itself at one moment.
struct DeviceState {
  int sm_mhz = 0;
  int memory_mhz = 0;
  int temperature_celsius = 0;
  double power_watts = 0;
  double power_limit_watts = 0;
  std::uint64_t throttle_reasons = 0;  ///< NVML's bits; see cuda::throttle_text.
  std::string throttled;               ///< The same in words; empty: nothing holds the clocks down.
  int processes = 0;                   ///< That hold a compute context, ours and our workers' included.
};

/// For what part of the time that ends then, since the sample before, a device was running any kernel of any process.
struct BusySample {
  std::int64_t end_us = 0;  ///< Of the system clock, since its epoch.
  double share = 0;         ///< 0 to 1.
};

}  // namespace assay::device
