#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/copy_plan.hpp>
#include <assay/os/shared_memory.hpp>

namespace assay::device {

/// The code of an error that says that the device has no memory left.
inline constexpr const char* kOutOfMemory = "device.out_of_memory";

/// Memory for the arguments of calls: the judge owns it, writes and reads an image of it, and lends it to workers by a
/// descriptor. On the CPU the image is the memory itself; on another device the bytes go back and forth when told to.
class CallMemory {
 public:
  virtual ~CallMemory() = default;
  /// The judge's image, zeros at first.
  [[nodiscard]] virtual std::span<std::byte> bytes() const = 0;
  /// What is still to be done of the image. Where it is not `empty`, the bytes of tensors that are left to it are not yet
  /// what they shall be in the image; `publish` does it, on the device if the bytes lie there.
  [[nodiscard]] CopyPlan& plan() { return plans_[front_]; }
  [[nodiscard]] const CopyPlan& plan() const { return plans_[front_]; }
  /// Turns to the memory's other image with its own plan, and back, if it has two: so that the next contents may be made
  /// while a device is still to see, or the CPU to be asked about, those of now. False: it has one.
  [[nodiscard]] virtual bool turn() { return false; }
  /// Writes down what `publish` will do of the other image's first `size` bytes, where that makes it shorter. On any thread,
  /// while nobody turns; the other image and its plan stay as they are until they are published.
  virtual void stage_other(std::size_t /*size*/) {}
  /// The parts of the first `size` bytes that hold anything, as places in the image: the rest is zeros that nobody has
  /// touched. What a device wrote by a plan is among them, though the image itself may not hold it.
  [[nodiscard]] virtual std::vector<std::span<const std::byte>> present(std::size_t size) const = 0;
  /// What a worker maps. Ours to keep; sent by the protocol's `map`.
  [[nodiscard]] virtual const os::Fd& descriptor() const = 0;
  /// Makes workers see the first `size` bytes of the image. No call may be under way.
  [[nodiscard]] virtual base::Result<void> publish(std::size_t size) = 0;
  /// Makes the first `size` bytes of the image what workers left.
  [[nodiscard]] virtual base::Result<void> fetch(std::size_t size) = 0;
  /// Where the bytes lie on the device, in this process, if they lie elsewhere than the image.
  [[nodiscard]] virtual std::optional<std::uint64_t> device_address() const { return std::nullopt; }

 protected:
  [[nodiscard]] std::size_t front() const { return front_; }
  [[nodiscard]] const CopyPlan& plan_of(std::size_t image) const { return plans_[image]; }
  void turn_plan() { front_ = 1 - front_; }

 private:
  std::array<CopyPlan, 2> plans_;
  std::size_t front_ = 0;
};

/// Memory that workers on this machine's CPU map directly.
[[nodiscard]] base::Result<std::unique_ptr<CallMemory>> make_host_memory(std::size_t size, os::PeerAccess access);

}  // namespace assay::device
