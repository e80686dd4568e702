#pragma once

#include <functional>
#include <string_view>

#include <assay/os/file.hpp>

namespace assay::evaluate {

/// What a judge needs beside the request. Paths are absolute.
struct JudgeSettings {
  os::Path worker;   ///< The assay-worker binary.
  os::Path include;  ///< Folder with assay/candidate.h, dlpack/dlpack.h and, where it is carried, tvm/ffi.
  os::Path nvrtc;    ///< The assay-nvrtc binary; need not be there.
  os::Path tvm_ffi;  ///< TVM-FFI's library; need not be there for candidates that do not use it.
  os::Path cache;    ///< Build cache.
  /// Told how far the evaluation has come: steps done, steps in all as far as known, and what is being done. May be empty.
  std::function<void(double done, double total, std::string_view what)> on_progress;
};

}  // namespace assay::evaluate
