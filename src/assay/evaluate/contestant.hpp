#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/evaluate/device_plan.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/os/fd.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/solution.hpp>

namespace assay::evaluate {

/// A built solution, ready to be loaded into a worker.
struct Contestant {
  task::Side side = task::Side::candidate;
  std::string name;
  base::Digest content;     ///< Of the solution.
  base::Digest normalised;  ///< Likewise.
  std::string symbol;       ///< Exported by the object.
  os::Fd object;            ///< Sealed memory with the object that the build's record names.
  /// Where the solution may use TVM-FFI: what the object exports then, and sealed memory with the library. Else empty.
  std::string tvm_ffi_symbol;
  os::Fd tvm_ffi_library;
  /// Of a device-only solution: what is launched of the object, which is a cubin then. Its symbols are found.
  std::optional<DevicePlan> plan;
};

/// Makes a solution that was built as `object` ready. An environment error if it needs TVM-FFI's library and that is not
/// beside the programs.
[[nodiscard]] base::Result<Contestant> make_contestant(const task::Solution& solution, task::Side side,
                                                       std::string_view object, const JudgeSettings& settings);

}  // namespace assay::evaluate
