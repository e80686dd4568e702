#pragma once

#include <assay/base/error.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/os/file.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// Carries out a materialise request: generates the inputs of its one workload, as the first call of a session with the
/// request's seed gets them, and writes those that lie in safetensors files into a new bundle. The same request gives
/// the same bytes on any machine. Inputs that are not written need address space, and memory only as far as the
/// generator fills them; files are written from where the inputs lie, without a copy.
[[nodiscard]] base::Result<void> materialise(const task::EvaluationRequest& request, const os::Path& bundle,
                                             const JudgeSettings& settings);

}  // namespace assay::evaluate
