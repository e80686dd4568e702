#pragma once

#include <optional>

#include <assay/base/error.hpp>
#include <assay/device/device_peaks.hpp>
#include <assay/evaluate/judged.hpp>
#include <assay/evaluate/phase_clock.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/evaluate/worker_pool.hpp>

namespace assay::evaluate {

/// Runs all that a session's request asks for, in this order: official trials, single inputs, a chain, sanitizers, trials,
/// and process pairs until the plan's rule decides or its cap is reached; then trials that follow a gain. It ends with the
/// first thing that is wrong. All of that is recorded in `judged`, which is concluded then, and in `phases`. A process that
/// is killed from outside is tried again, three times in all. Errors are an incumbent that does not pass, or a machine that
/// fails.
///
/// `peaks`: what the device was measured to do at most. `official_workers`: those that see CUPTI, where official trials run
/// on a device; they are let go once these are over.
[[nodiscard]] base::Result<void> run_session(const Session& session, const std::optional<device::DevicePeaks>& peaks,
                                             std::optional<WorkerPool>& official_workers, PhaseClock& phases,
                                             Judged& judged);

}  // namespace assay::evaluate
