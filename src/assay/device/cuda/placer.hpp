#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/copy_plan.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/cuda/pinned_memory.hpp>

namespace assay::device::cuda {

/// Does on the device what a CopyPlan leaves to be done of an image: pools stay there, so that a call's contents cross
/// the bus as a list of places. One for each device; for one thread at a time, with the context current, which outlives
/// it. A process that runs candidates has no business with it.
class Placer {
 public:
  explicit Placer(const Context& context) : context_(&context) {}
  ~Placer() = default;
  Placer(const Placer&) = delete;
  Placer& operator=(const Placer&) = delete;

  /// Enqueues: first `parts` of the image, then the plan's pieces, then its patches. `image` is where the device's
  /// bytes from `address` on lie on the host. When it returns, plan and parts may be changed.
  [[nodiscard]] base::Result<void> enqueue(const CopyPlan& plan, std::span<std::byte> image, DevicePointer address,
                                           std::span<const std::span<const std::byte>> parts, const Stream& stream);

 private:
  [[nodiscard]] base::Result<void> load();
  [[nodiscard]] base::Result<DevicePointer> resident(const Pool& pool, const Stream& stream);
  [[nodiscard]] base::Result<void> make_room(std::size_t bytes);

  const Context* context_;
  std::optional<Module> module_;
  abi::FunctionHandle place_ = nullptr;
  abi::FunctionHandle patch_ = nullptr;
  unsigned multiprocessors_ = 1;
  std::map<std::uint64_t, Memory> pools_;
  std::optional<Event> done_;  ///< With what was enqueued last, which reads what lies in the two below.
  PinnedMemory staged_;
  Memory arrived_;
};

}  // namespace assay::device::cuda
