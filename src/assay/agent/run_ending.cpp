#include <assay/agent/run_ending.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <assay/agent/stream_reader.hpp>

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

os::Path record_of(const os::Path& records, const std::string& id) { return records / (id + ".jsonl"); }

Spend own_spend(const std::string& id, const StreamSummary& summary, const os::Path& records,
                const RunJournal& journal) {
  if (summary.session.empty() || !summary.session_total) {
    return summary.spend;
  }
  std::optional<Usage> before;
  for (const std::string& other : journal.of_session(summary.session)) {
    const auto record = os::read_file(record_of(records, other));
    const StreamSummary told = record && other != id ? summarise_stream(summary.dialect, *record, {}) : StreamSummary();
    if (told.session_total) {
      before = larger(before.value_or(Usage()), *told.session_total);
    }
  }
  if (!before) {
    return summary.spend;
  }
  const auto own = difference(*summary.session_total, *before);
  if (own && own->tokens == Tokens()) {
    // Whoever asks a model for anything makes the total larger: this is no continuation, whatever its id says.
    return summary.spend;
  }
  return own ? Spend{summary.spend.certainty, *own} : Spend{};
}

RunEnding cut_off(const std::string& id, const std::optional<Dialect>& dialect, const os::Path& records,
                  const RunJournal& journal) {
  RunEnding ending = interrupted(id);
  const auto record = os::read_file(record_of(records, id));
  if (dialect && record) {
    // What it told before it died was spent in any case; that it told an end does not mean that this was the last one.
    const StreamSummary summary = summarise_stream(*dialect, *record, {});
    ending.session = summary.session;
    ending.model = summary.model;
    ending.spend = own_spend(id, summary, records, journal);
    if (ending.spend.certainty == Certainty::exact) {
      ending.spend.certainty = Certainty::at_least;
    }
  }
  return ending;
}

tl::unexpected<base::Error> environment_failure(const std::string& agent, RunOutcome outcome,
                                                const std::string& cause) {
  return base::environment_error("agent." + std::string(to_string(outcome)),
                                 fmt::format("{} could not do its work: {}: {}", agent, cause, remedy(outcome)));
}

}  // namespace assay::agent
