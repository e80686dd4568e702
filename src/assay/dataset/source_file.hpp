#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/solution.hpp>

namespace assay::dataset {

/// Returns the names that C or C++ source gives to ASSAY_KERNEL(…), or if there are none to
/// TVM_FFI_DLL_EXPORT_TYPED_FUNC(…, …), in their order: its entry points. Comments and preprocessor directives do not
/// count.
[[nodiscard]] std::vector<std::string> entry_points(std::string_view source);

/// Wraps one C or C++ file (.c .cc .cpp .cxx) as a solution of `definition`, so that a kernel can be tried without
/// writing JSON. The solution has the file's stem as its name and the author "local"; its source is called "kernel" with
/// the file's extension, so that a renamed copy is the same candidate. Its entry point is `run`, or the only one that
/// the file defines. A .cu file without one is device-only if a launch plan lies beside it, NAME.launch.json for NAME.cu,
/// which is packed as "launch.json"; its entry point is the plan's `run`, or its only member. Otherwise a file without an
/// entry point is an input error with code "source.no_entry_point"; one with both is an error too.
[[nodiscard]] base::Result<task::Solution> pack_source(const os::Path& path, std::string_view definition);

/// Reads a solution from its JSON, or packs a source file, by the file's extension. A JSON solution of another
/// definition is an input error.
[[nodiscard]] base::Result<task::Solution> load_solution_path(const os::Path& path, std::string_view definition);

}  // namespace assay::dataset
