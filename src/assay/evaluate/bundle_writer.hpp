#pragma once

#include <assay/base/error.hpp>
#include <assay/evaluate/judged.hpp>
#include <assay/os/file.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// Writes a result bundle (task/bundle.hpp) beside its place, flushes it to the disk and renames it there. `bundle` must
/// not exist. On any error nothing is left.
[[nodiscard]] base::Result<void> write_bundle(const os::Path& bundle, const task::EvaluationRequest& request,
                                              const Judged& judged);
/// The same for a judge that failed: the error in place of the evaluation.
[[nodiscard]] base::Result<void> write_error_bundle(const os::Path& bundle, const task::EvaluationRequest& request,
                                                    const base::Error& error);

}  // namespace assay::evaluate
