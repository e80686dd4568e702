#pragma once

#include <chrono>
#include <string>

#include <assay/agent/agent_run.hpp>
#include <assay/agent/run_journal.hpp>
#include <assay/agent/stream_summary.hpp>
#include <assay/base/error.hpp>

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

/// The error with which a campaign stops until a person has mended what is the environment's.
[[nodiscard]] tl::unexpected<base::Error> environment_failure(const std::string& agent, RunOutcome outcome,
                                                              const std::string& cause);

}  // namespace assay::agent
