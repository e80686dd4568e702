#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/candidate.h>
#include <assay/os/fd.hpp>
#include <assay/worker/call_frame.hpp>
#include <assay/worker/cuda_calls.hpp>
#include <assay/worker/device_program.hpp>
#include <assay/worker/protocol.hpp>
#include <assay/worker/tvm_ffi.hpp>

namespace assay::worker {

/// A candidate's code in this process, and how it is entered: an object with an entry point, of the C header or bound by
/// TVM-FFI, or kernels that the worker itself launches. It is loaded once and stays until the process ends; what is asked
/// of a call holds for whichever it is.
class LoadedCandidate {
 public:
  /// Loads an object and finds its entry point. With a TVM-FFI symbol that library comes too, and is loaded first. `cuda`:
  /// the device that the process has opened, if it has, lent; likewise below.
  [[nodiscard]] LoadReply load(const os::Fd& object, const os::Fd* tvm_ffi_library, const LoadRequest& request,
                               CudaCalls* cuda);
  /// Loads a cubin. Nothing: it cannot be read.
  [[nodiscard]] std::optional<LoadReply> load_kernels(const os::Fd& cubin, const LoadKernelsRequest& request,
                                                      CudaCalls& cuda);
  /// Whether there is something to enter.
  [[nodiscard]] bool is_loaded() const {
    return function_ != nullptr || packed_function_ != nullptr || program_ != nullptr;
  }
  /// Whether a call's launches are of the kernels that were loaded; of other candidates it must have none.
  [[nodiscard]] bool fits(const Call& call) const {
    return program_ == nullptr ? call.launches.empty() : program_->fits(call);
  }
  /// Whether a call that was captured before finds its scratch memory where it was.
  [[nodiscard]] bool keeps_scratch(const Call& call) const {
    return program_ == nullptr || program_->keeps_scratch(call);
  }

  /// Packs a call by TVM-FFI's convention, and says which stream it is on; nothing for other candidates. Like the next two
  /// it is not in the call's time.
  [[nodiscard]] std::vector<tvm_ffi::Any> pack(const CallFrame& frame) const;
  /// Does what the launches of device code need, with tensors where the frame has them, or, with `copied` ones, where they
  /// will be. False: they cannot be made, and `result` says why.
  [[nodiscard]] bool make_ready(const Call& call, CallFrame& frame, DeviceMemory memory, CallReply& result);
  /// Translates the launches of device code, whose tensors are now where the frame has them.
  void assemble(const Call& call, CallFrame& frame);
  /// Fills scratch memory with numbers that are none.
  void poison();

  /// Makes the call. Here, so that what is timed has no step more than it must.
  [[nodiscard]] std::int32_t enter(const CallFrame& frame, const std::vector<tvm_ffi::Any>& packed) const {
    if (program_ != nullptr) {
      return program_->launch();
    }
    return packed_function_ == nullptr ? function_(frame.call()) : tvm_ffi_->invoke(packed_function_, packed);
  }

  /// Why a call failed, for the answer and for the log: the launch that the driver refused, what an entry point bound by
  /// TVM-FFI raised.
  void note_failure(CallReply& result) const;

 private:
  [[nodiscard]] device::cuda::abi::StreamHandle stream() const {
    return static_cast<device::cuda::abi::StreamHandle>(cuda_->stream());
  }

  CudaCalls* cuda_ = nullptr;  ///< Where a device was opened.
  assay_kernel_function function_ = nullptr;
  std::optional<TvmFfi> tvm_ffi_;  ///< Where the object that was loaded may use it.
  tvm_ffi::Entry packed_function_ = nullptr;
  std::unique_ptr<DeviceProgram> program_;  ///< In place of the functions, where kernels were loaded.
};

}  // namespace assay::worker
