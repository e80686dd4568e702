#include <assay/agent/run_ending.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::agent {

RunLimits limits_within(RunLimits own, const Usage& most, std::chrono::nanoseconds allowed) {
  if (most.tokens.input + most.tokens.output > 0) {
    own.tokens = most.tokens.input + most.tokens.output;
  }
  own.wall = std::max<std::chrono::nanoseconds>(allowed - own.grace, std::chrono::nanoseconds(1));
  return own;
}

RunEnding not_started(const std::string& id, const base::Error& error) {
  RunEnding ending;
  ending.id = id;
  ending.outcome = RunOutcome::not_started;
  ending.cause = error.text();
  ending.spend.certainty = Certainty::exact;
  return ending;
}

RunEnding ended(const std::string& id, const StreamSummary& summary, Spend spend, std::chrono::nanoseconds wall) {
  RunEnding ending;
  ending.id = id;
  ending.outcome = summary.outcome;
  ending.cause = summary.cause;
  ending.session = summary.session;
  ending.model = summary.model;
  ending.spend = std::move(spend);
  ending.wall = wall;
  return ending;
}

RunEnding interrupted(const std::string& id) {
  RunEnding ending;
  ending.id = id;
  ending.outcome = RunOutcome::interrupted;
  ending.cause = "the controller ended while it ran";
  ending.wall_known = false;
  return ending;
}

tl::unexpected<base::Error> environment_failure(const std::string& agent, RunOutcome outcome,
                                                const std::string& cause) {
  return base::environment_error("agent." + std::string(to_string(outcome)),
                                 fmt::format("{} could not do its work: {}: {}", agent, cause, remedy(outcome)));
}

}  // namespace assay::agent
