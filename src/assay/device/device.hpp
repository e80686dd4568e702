#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>

namespace assay::device {

/// Which call a time belongs to; all that a simulated clock may depend on.
struct CallKey {
  base::Digest candidate;     ///< Content digest of the solution that ran.
  std::string_view workload;  ///< uuid
  std::uint64_t seed = 0;     ///< The session's.
  std::int32_t pair = 0;
  std::int32_t repetition = 0;
};

/// Where candidates run: what clock counts, how a sample is made cold, where processes are placed. The judge owns all
/// memory (os/shared_memory.hpp on the CPU).
class Device {
 public:
  virtual ~Device() = default;
  /// "cpu" or "simulated:<seed>".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Whether `observe` ignores the worker's clock: such times cannot be held against the judge's.
  [[nodiscard]] virtual bool simulated() const { return false; }
  /// What the device is, for the environment fingerprint.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> describe() const = 0;
  /// Puts the calling thread (the judge) where it disturbs a worker least.
  virtual void place_judge() const = 0;
  /// Lets the calling thread (the judge) use every CPU: for its own work between calls, while workers wait.
  virtual void spread_judge() const = 0;
  /// Runs `start` with the calling thread placed where a worker it starts shall run, then places the judge again.
  virtual base::Result<void> place_worker(const std::function<base::Result<void>()>& start) const = 0;
  /// Removes these bytes from every cache, so that the next access comes from memory.
  virtual void evict(std::span<const std::byte> bytes) const = 0;
  /// Returns the time that counts for a call: the worker's clock, or a simulated one.
  [[nodiscard]] virtual std::chrono::nanoseconds observe(const CallKey& key,
                                                         std::chrono::nanoseconds by_worker) const = 0;
};

/// Opens a device by name. An unknown name is an input error that lists the names; one that this machine lacks is an
/// environment error.
[[nodiscard]] base::Result<std::unique_ptr<Device>> open_device(std::string_view name);

}  // namespace assay::device
