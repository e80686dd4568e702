#pragma once

#include <string>

#include <assay/base/error.hpp>
#include <assay/evaluate/request_check.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/os/fd.hpp>
#include <assay/task/request.hpp>
#include <assay/worker/client.hpp>

namespace assay::evaluate {

/// Makes a memory file for what all workers of an evaluation print.
[[nodiscard]] base::Result<os::Fd> make_worker_log();

/// Returns the end of what the workers printed, as text that a terminal can show: at most 64 KiB.
[[nodiscard]] std::string read_worker_log(const os::Fd& log);

/// How the workers of an evaluation are started: their program, their limits by the request's plan and the largest of
/// its layouts, and what the device and the clock need in their sandbox. `log` is lent.
[[nodiscard]] base::Result<worker::WorkerOptions> worker_options(const task::EvaluationRequest& request,
                                                                 const RequestMeans& means,
                                                                 const JudgeSettings& settings, const os::Fd& log);

}  // namespace assay::evaluate
