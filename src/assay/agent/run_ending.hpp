#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <assay/agent/agent_run.hpp>
#include <assay/agent/dialect.hpp>
#include <assay/agent/run_journal.hpp>
#include <assay/agent/stream_summary.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

/// What is the same of every run, whoever makes it: an agent alone, or one of three roles.
namespace assay::agent {

/// The limits of one run: of its own time no more than `allowed` holds together with the grace, and what it may use of tokens.
[[nodiscard]] RunLimits limits_within(RunLimits own, const Usage& most, std::chrono::nanoseconds allowed);

/// Its program could not be started: nothing was asked of a model, so that it cost nothing.
[[nodiscard]] RunEnding not_started(const std::string& id, const base::Error& error);
/// It ended as its stream tells; `spend` is what it spent of that.
[[nodiscard]] RunEnding ended(const std::string& id, const StreamSummary& summary, Spend spend,
                              std::chrono::nanoseconds wall);
/// The controller ended while it ran, and nobody knows for how long.
[[nodiscard]] RunEnding interrupted(const std::string& id);

/// The folder that keeps the stream of each run has it under this name.
[[nodiscard]] os::Path record_of(const os::Path& records, const std::string& id);
/// What this run spent, of what its stream told of the session: both programs tell totals, and earlier runs of the session
/// are known by their records. A total that is no continuation of theirs is unknown.
[[nodiscard]] Spend own_spend(const std::string& id, const StreamSummary& summary, const os::Path& records,
                              const RunJournal& journal);
/// How a run ended that an earlier controller began, of which no account is left but the stream's as far as it came.
/// `dialect`: in which that is written; absent: none.
[[nodiscard]] RunEnding cut_off(const std::string& id, const std::optional<Dialect>& dialect, const os::Path& records,
                                const RunJournal& journal);

/// The error with which a campaign stops until a person has mended what is the environment's.
[[nodiscard]] tl::unexpected<base::Error> environment_failure(const std::string& agent, RunOutcome outcome,
                                                              const std::string& cause);

}  // namespace assay::agent
