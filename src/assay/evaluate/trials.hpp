#pragma once

#include <cstdint>
#include <optional>

#include <assay/base/error.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::evaluate {

/// Calls the candidate on the request's kept inputs in their order, and then on the operator's stress trials 0 …
/// plan.stress_trials - 1 of the session's seed, in one process of its own, every call checked. Of the result only fault,
/// checked_calls and killed_from_outside mean something; the fault's cause names whom the input caught before, or the
/// trial's kind, its shape and what repeats it. Findings refer to no workload of the request.
[[nodiscard]] base::Result<PairResult> run_single_inputs(const Session& session);

/// Follows the operator's chain (operators::Chain), in a process of its own: each call goes on from what the one before
/// left. Nothing is wrong where the operator has no chain. Of the result the same mean something as of stress trials.
[[nodiscard]] base::Result<PairResult> run_chain(const Session& session);

/// Calls the candidate `request.official_trials` times on each workload of the request, in a process of its own, and
/// decides as the contest's evaluator would. A crash or a timeout is a failure there too.
[[nodiscard]] base::Result<task::OfficialVerdict> run_official_trials(const Session& session);

/// Runs the request's trials: the candidate alone, in one process, on inputs as in use, every call checked; stops at the
/// first that is wrong. Adds to `record`.
[[nodiscard]] base::Result<PairResult> run_trials(const Session& session, task::TrialsRecord& record);

}  // namespace assay::evaluate
