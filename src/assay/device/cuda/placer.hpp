#pragma once

#include <array>
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

  /// What one plan comes to, as the device takes it: pinned host memory, and as much of the device's. Used again and again.
  class Staged {
   public:
    /// Another one whenever something was staged here; 0 before.
    [[nodiscard]] std::uint64_t ticket() const { return ticket_; }

   private:
    friend Placer;
    std::uint64_t ticket_ = 0;
    std::optional<Event> done_;  ///< With what was enqueued last, which reads what lies in the two below.
    PinnedMemory host_;
    Memory arrived_;
    std::size_t bytes_ = 0;
    std::size_t pieces_ = 0;
    std::size_t patches_at_ = 0;
    std::size_t patches_ = 0;
    std::size_t masks_at_ = 0;
  };

  /// What is done of an image: first `parts` of it, then the plan's pieces, then its patches. `image` is where the device's
  /// bytes from `address` on lie on the host.
  struct Task {
    const CopyPlan& plan;
    std::span<std::byte> image;
    DevicePointer address = 0;
    std::span<const std::span<const std::byte>> parts;
  };

  /// One of two places for what is staged, so that one can be filled while the device still reads the other. Whose task lies
  /// there its ticket tells.
  [[nodiscard]] Staged& place(std::size_t which) { return staged_[which]; }
  /// Makes ready what `stage` needs: pools on the device, and room. Waits for what was enqueued of it before.
  [[nodiscard]] base::Result<void> make_ready(const Task& task, Staged& staged, const Stream& stream);
  /// Writes the task down. False if something is missing that `make_ready` provides; what was there is then lost. On any
  /// thread, while no other uses the placer or what was enqueued of `staged` has been waited for: nothing is asked of the
  /// device. When it returns, plan and parts may be changed.
  [[nodiscard]] bool stage(const Task& task, Staged& staged) const;
  /// Enqueues what was staged.
  [[nodiscard]] base::Result<void> enqueue(const Staged& staged, const Stream& stream) const;

 private:
  [[nodiscard]] base::Result<void> load();
  [[nodiscard]] base::Result<void> make_resident(const Pool& pool, const Stream& stream);
  [[nodiscard]] base::Result<void> make_room(Staged& staged, std::size_t bytes) const;

  const Context* context_;
  std::optional<Module> module_;
  abi::FunctionHandle place_ = nullptr;
  abi::FunctionHandle patch_ = nullptr;
  abi::FunctionHandle fetch_ = nullptr;
  unsigned multiprocessors_ = 1;
  std::map<std::uint64_t, Memory> pools_;
  std::array<Staged, 2> staged_;
};

}  // namespace assay::device::cuda
