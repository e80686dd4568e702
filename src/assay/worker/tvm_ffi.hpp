#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/candidate.h>
#include <assay/worker/tvm_ffi_abi.hpp>

namespace assay::worker {

/// Calls entry points of TVM-FFI's convention, as the CUDA and C++ solutions of flashinfer-bench have them: inputs, then
/// outputs, packed; tensors as DLTensor*, scalars as integers, floats and booleans. Its library must be in the process
/// before an object that uses it. One thread only.
class TvmFfi {
 public:
  /// Loads the library `file` for everything that is loaded after it, and finds what is needed of it. An environment
  /// error says what is missing.
  [[nodiscard]] static base::Result<TvmFfi> open(const std::string& file);

  /// Says which stream entry points that ask for the current one get on this device.
  void set_stream(DLDevice device, void* stream) const;
  /// Packs a call's arguments; they point into what the call does.
  [[nodiscard]] static std::vector<tvm_ffi::Any> pack(const assay_call& call);
  /// Calls and drops what comes back: results are in the outputs.
  [[nodiscard]] std::int32_t invoke(tvm_ffi::Entry entry, const std::vector<tvm_ffi::Any>& arguments) const;
  /// Takes the error that a call raised: "ValueError: scale must be positive"; `trace` gets where, one frame a line.
  [[nodiscard]] std::string take_error(std::string& trace) const;

 private:
  TvmFfi() = default;
  tvm_ffi::MoveRaisedError move_raised_error_ = nullptr;
  tvm_ffi::ReleaseObject release_object_ = nullptr;
  tvm_ffi::SetStream set_stream_ = nullptr;
};

}  // namespace assay::worker
