#pragma once

#include <assay/base/json.hpp>
#include <assay/evaluate/settings.hpp>

namespace assay::evaluate {

/// One line of `assay doctor`: what there is, in words, or what to do about it.
[[nodiscard]] base::Json capability(const char* name, bool available, std::string detail, std::string remedy);

/// Appends what this machine can do with CUDA candidates: driver, devices, NVML, compilers, and whether a worker in the
/// sandbox can use each device. Everything is tried, not guessed: it takes about a second a device.
void add_cuda(base::Json& capabilities, const JudgeSettings& settings);

}  // namespace assay::evaluate
