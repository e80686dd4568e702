#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/build/toolchain.hpp>

namespace assay::build {

/// Finds nvcc ($ASSAY_NVCC if set, which must then run; else PATH; else /usr/local/cuda/bin/nvcc) and the C++ compiler
/// that it calls (find_toolchain), and says how they build for `architecture`. None is an environment error that says
/// what to install; a malformed architecture is our bug.
[[nodiscard]] base::Result<Toolchain> find_nvcc(const std::string& architecture, ObjectForm form);

/// Finds the run-time compiler, which makes cubins about twice as fast as nvcc: `program` is assay-nvrtc, which opens
/// libnvrtc ($ASSAY_NVRTC if set, else the loader's, else the one under /usr/local/cuda) in a process of its own.
[[nodiscard]] base::Result<Toolchain> find_nvrtc(const os::Path& program, const std::string& architecture);

/// The flags that every CUDA candidate is built with. Each is one word.
[[nodiscard]] std::vector<std::string> nvcc_flags(const std::string& architecture, ObjectForm form);

}  // namespace assay::build
