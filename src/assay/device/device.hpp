#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/device/device_peaks.hpp>
#include <assay/device/device_state.hpp>
#include <assay/os/file.hpp>
#include <assay/os/sandbox/options.hpp>

namespace assay::device {

/// Which call a time belongs to; all that a simulated clock may depend on.
struct CallKey {
  base::Digest candidate;     ///< Content digest of the solution that ran.
  base::Digest code;          ///< Its normalised digest: the same where only comments differ, and so is the speed.
  std::string_view workload;  ///< uuid
  std::uint64_t seed = 0;     ///< The session's.
  std::int32_t pair = 0;
  std::int32_t repetition = 0;
  std::int32_t process = 0;  ///< 1: not the candidate's own process of this pair, but a copy's beside it.
};

/// What a worker needs to reach a device, beyond what any program needs.
struct WorkerAccess {
  std::vector<os::SandboxBind> binds;  ///< Its driver's libraries.
  std::vector<os::Path> nodes;         ///< Its device nodes.
  std::vector<os::Path> library_folders;
  std::optional<int> cuda_ordinal;  ///< The CUDA device that the worker opens before anything else.
};

/// Where candidates run: what clock counts, how a sample is made cold, where processes are placed. The judge owns all
/// memory.
class Device {
 public:
  virtual ~Device() = default;
  /// "cpu", "cuda:<ordinal>" or "simulated:<seed>".
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
  /// Makes memory of `size` bytes that workers can map.
  [[nodiscard]] virtual base::Result<std::unique_ptr<CallMemory>> create_memory(std::size_t size,
                                                                                os::PeerAccess access) const = 0;
  [[nodiscard]] virtual WorkerAccess worker_access() const { return {}; }
  /// What device code is compiled for, as nvcc says it ("sm_90a"); empty where candidates run on the host.
  [[nodiscard]] virtual std::string architecture() const { return {}; }
  /// The CUDA device that candidates run on, where they do.
  [[nodiscard]] virtual std::optional<int> cuda_ordinal() const { return std::nullopt; }
  /// Whether workers make each call cold themselves, on the device: `evict` has nothing to do.
  [[nodiscard]] bool runs_remotely() const { return cuda_ordinal().has_value(); }
  /// Does what takes the device long before its first use; may be called on a thread of its own. What fails, fails again
  /// at the use.
  virtual void warm_up() const {}
  /// What its memory was measured to read and write together, in bytes a nanosecond; nullopt where the caller has to
  /// measure the host's.
  [[nodiscard]] virtual base::Result<std::optional<double>> measured_bytes_per_ns() const { return std::nullopt; }
  /// Measures what it can do at most; takes about a tenth of a second. nullopt where there is nothing of the kind.
  [[nodiscard]] virtual base::Result<std::optional<DevicePeaks>> measure_peaks() const { return std::nullopt; }
  /// What it says of itself now: nullopt where nobody can tell (no such library, or a CPU).
  [[nodiscard]] virtual std::optional<DeviceState> state() const { return std::nullopt; }
  /// The samples of how busy it was that ended after then (microseconds of the system clock since its epoch), in order.
  /// Empty where nobody can tell.
  [[nodiscard]] virtual std::vector<BusySample> busy_samples(std::int64_t /*after_us*/) const { return {}; }
  /// How long a fixed piece of the judge's own work takes now, once it takes the same twice: whether the device is what
  /// it was. nullopt where there is none (a CPU).
  [[nodiscard]] virtual base::Result<std::optional<std::chrono::nanoseconds>> time_canary() const {
    return std::nullopt;
  }
  /// Removes these bytes from every cache, so that the next access comes from memory.
  virtual void evict(std::span<const std::byte> bytes) const = 0;
  /// Returns the time that counts for a call: the worker's clock, or a simulated one.
  [[nodiscard]] virtual std::chrono::nanoseconds observe(const CallKey& key,
                                                         std::chrono::nanoseconds by_worker) const = 0;
};

/// Opens a device by name (base/device_name.hpp). An unknown name is an input error that lists the names; one that this machine lacks is an
/// environment error.
[[nodiscard]] base::Result<std::unique_ptr<Device>> open_device(std::string_view name);

}  // namespace assay::device
