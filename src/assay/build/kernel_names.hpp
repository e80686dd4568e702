#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/build/toolchain.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::build {

/// Sets the name of each kernel to the source form of its symbol. The program c++filt does it, in the sandbox: a mangled
/// name is the candidate's text, it can refer back to itself, and a hostile one doubles with every few letters. Symbols
/// that are no mangled names, and all if there is no c++filt or it does not answer in time, keep the symbol as their
/// name. An error only if the sandbox cannot be started.
[[nodiscard]] base::Result<void> name_kernels(std::vector<task::KernelResources>& kernels, const Toolchain& toolchain);

/// Finds the symbol of a kernel that a launch plan names: by its symbol (extern "C" or mangled), or as the source has it:
/// "void scale<4>(float*)", "scale<4>(float*)" or "scale<4>". A name that none of `kernels` has is a symbol, for the
/// compiler need not have told of all. An input error if a short name means several.
[[nodiscard]] base::Result<std::string> kernel_symbol(const std::string& name,
                                                      const std::vector<task::KernelResources>& kernels);

}  // namespace assay::build
