#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/build/toolchain.hpp>
#include <assay/task/solution.hpp>

namespace assay::build {

/// Returns what a toolchain's compiler is told of a solution: the flags of every candidate, a -D for each parameter, the
/// sources that are translated. Without anything that differs between machines. An input error for a source that the
/// toolchain does not take, or a flag that is refused (build/flags.hpp).
[[nodiscard]] base::Result<std::vector<std::string>> arguments(const Toolchain& toolchain,
                                                               const task::Solution& solution);

}  // namespace assay::build
