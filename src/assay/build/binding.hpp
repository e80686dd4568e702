#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/solution.hpp>

namespace assay::build {

/// The exported symbol of a solution's entry point under the C header: "assay_kernel_<symbol>".
[[nodiscard]] std::string exported_symbol(const task::Solution& solution);
/// The same under TVM-FFI, as TVM_FFI_DLL_EXPORT_TYPED_FUNC(<symbol>, …) exports it: "__tvm_ffi_<symbol>".
[[nodiscard]] std::string tvm_ffi_symbol(const task::Solution& solution);

/// Tells whether a C++ or CUDA solution may use TVM-FFI: its binding is "tvm-ffi", or it names none (which means tvm-ffi
/// in flashinfer-bench) and a source includes its headers. Such a solution is built with them shown to the compiler, and
/// loaded after its library; if its object exports the C header's symbol, that is called all the same.
[[nodiscard]] bool may_use_tvm_ffi(const task::Solution& solution);

/// Refuses as an input error what cannot be called: the binding "torch", and a TVM-FFI solution that returns its
/// results (/spec/destination_passing_style false).
[[nodiscard]] base::Result<void> check_binding(const task::Solution& solution);

/// Where TVM-FFI lies beside Assay's programs: the folder `tvm` of its headers in `include`, and its library.
[[nodiscard]] os::Path tvm_ffi_headers(const os::Path& include);
[[nodiscard]] os::Path tvm_ffi_library(const os::Path& programs);

/// Returns the paths and contents of its headers, framed for a digest. An environment error if there are none.
[[nodiscard]] base::Result<std::string> tvm_ffi_header_texts(const os::Path& include);

}  // namespace assay::build
