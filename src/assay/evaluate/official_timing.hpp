#pragma once

#include <assay/base/error.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/evaluate/worker_pool.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::evaluate {

/// flashinfer-bench's numbers of calls, in each trial: one call and five to estimate how long it takes, ten to
/// warm up, and fifty that are timed. It has three trials, as the request says. Its buffer and its span are the worker's to make: worker::Series.
inline constexpr int kOfficialUntimedCalls = 1 + 5 + 10;
inline constexpr int kOfficialTimedCalls = 50;

/// Times each solution of the session as flashinfer-bench does, in one fresh process and one allocation, with the same
/// contents and addresses from call to call of a trial and no look at an output: whatever that lets through is in the
/// figure, which is theirs. `workers` see CUPTI. Records it in `verdict`, or on a device that is no GPU why not. A
/// candidate that fails here does not pass there either; an incumbent that does is said to have no figure.
[[nodiscard]] base::Result<void> time_officially(const Session& session, WorkerPool* workers,
                                                 task::OfficialVerdict& verdict);

}  // namespace assay::evaluate
