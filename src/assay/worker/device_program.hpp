#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <assay/device/cuda/driver.hpp>
#include <assay/worker/call_frame.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::worker {

/// The kernels of a device-only candidate, and what launches them: the part of host code that such a candidate has not.
/// Needs a current context.
class DeviceProgram {
 public:
  /// Has the driver load a cubin and looks its kernels up. If that fails `program` is null and `reply` says why, in the
  /// driver's words or by the number of the parameter that differs.
  struct Loaded;
  [[nodiscard]] static Loaded load(std::span<const std::byte> cubin, const LoadKernelsRequest& request);
  ~DeviceProgram();
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  /// Tells whether a call's launches are of the kernels that were loaded.
  [[nodiscard]] bool fits(const Call& call) const;

  /// What scratch memory holds before a call.
  enum class Scratch : std::uint8_t {
    poisoned,   ///< What `poison` wrote. It is kept from call to call, as long as it is large enough.
    untouched,  ///< What a watcher shall see as never written: memory of its own for each call, of exactly its size.
  };
  /// Does what a call's launches need and what is not timed: scratch memory (new one is poisoned at once), and leave to
  /// use much shared memory. Returns the driver's status. `fits` must hold.
  [[nodiscard]] device::cuda::abi::Result make_ready(const Call& call, Scratch scratch,
                                                     device::cuda::abi::StreamHandle stream);
  /// Fills the scratch memory that there is with numbers that are none, other ones each time: before each call, but not
  /// in anybody's time, for it may be much. Returns the driver's status.
  [[nodiscard]] device::cuda::abi::Result poison(device::cuda::abi::StreamHandle stream);
  /// Tells whether `make_ready` would leave scratch memory where it is, so that a graph captured before finds it.
  [[nodiscard]] bool keeps_scratch(const Call& call) const { return call.scratch_bytes <= scratch_bytes_; }
  /// Translates the launches of a call that was made ready, with the places of the frame's tensors as they are now.
  void assemble(const Call& call, CallFrame& frame, device::cuda::abi::StreamHandle stream);
  /// Puts what was assembled on the stream: this tier's entry point. Returns the driver's status of the first launch
  /// that it refuses, and makes no further one then.
  [[nodiscard]] std::int32_t launch();
  /// The launch, from 1, that the driver has refused since the call was made ready; 0: none.
  [[nodiscard]] std::uint32_t refused() const { return refused_; }

 private:
  DeviceProgram() = default;
  [[nodiscard]] device::cuda::abi::Result allow_shared_memory(const Call& call);

  struct Kernel {
    device::cuda::abi::FunctionHandle function = nullptr;
    std::vector<std::uint8_t> argument_sizes;
    std::uint32_t allowed_shared_bytes = 0;
  };
  // Everything that the driver reads at a launch; it copies the arguments' values then.
  struct Ready {
    device::cuda::abi::LaunchConfiguration configuration{};
    std::array<device::cuda::abi::LaunchAttribute, 2> attributes{};
    std::vector<std::uint64_t> values;
    std::vector<void*> arguments;  ///< Into values.
  };

  const device::cuda::Driver* driver_ = nullptr;
  device::cuda::Module module_;
  std::vector<Kernel> kernels_;
  std::vector<Ready> ready_;
  device::cuda::DevicePointer scratch_ = 0;
  std::uint64_t scratch_bytes_ = 0;
  std::uint64_t poison_ = 0;
  std::uint32_t refused_ = 0;
};

struct DeviceProgram::Loaded {
  std::unique_ptr<DeviceProgram> program;
  LoadReply reply;
};

}  // namespace assay::worker
