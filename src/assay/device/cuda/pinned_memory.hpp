#pragma once

#include <cstddef>
#include <span>

#include <assay/base/error.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/os/shared_memory.hpp>

namespace assay::device::cuda {

/// Host memory that the driver copies to and from without a detour, so that a copy can be enqueued and waited for later.
/// Kernels reach it too, at the address that it has on the host. The context that is current when it is made outlives it.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  /// Zeros, at least one byte.
  [[nodiscard]] static base::Result<PinnedMemory> create(std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return memory_.bytes(); }
  [[nodiscard]] std::size_t size() const { return memory_.size(); }
  /// Where a kernel finds what lies here.
  [[nodiscard]] static DevicePointer address_of(std::span<const std::byte> part) {
    return reinterpret_cast<DevicePointer>(part.data());
  }

 private:
  void unpin();
  os::SharedMemory memory_;
};

}  // namespace assay::device::cuda
