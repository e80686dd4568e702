#pragma once

#include <assay/base/error.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/os/file.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// Carries out a check_definition request: puts the definition's tolerances to the proof on its workloads
/// (verify/admissibility.hpp) and writes what they separate into a new bundle. The same request gives the same answer.
[[nodiscard]] base::Result<void> check_definition(const task::EvaluationRequest& request, const os::Path& bundle,
                                                  const JudgeSettings& settings);

}  // namespace assay::evaluate
