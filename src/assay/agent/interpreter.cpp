#include <assay/agent/interpreter.hpp>

#include <fmt/format.h>

namespace assay::agent {
namespace {

constexpr int kSignalBase = 128;
constexpr int kLargestSignal = 64;

}  // namespace

std::optional<int> RunFacts::signal_seen() const {
  if (signal) {
    return signal;
  }
  if (exit_code && *exit_code > kSignalBase && *exit_code <= kSignalBase + kLargestSignal) {
    return *exit_code - kSignalBase;
  }
  return std::nullopt;
}

void conclude_without_end(const RunFacts& facts, bool began, StreamSummary& summary) {
  if (const std::optional<int> signal = facts.signal_seen()) {
    summary.outcome = RunOutcome::interrupted;
    summary.cause = fmt::format("signal {} ended it before it told how it ended", *signal);
  } else if (!began && facts.exit_code && *facts.exit_code != 0) {
    // Both programs write their first event before their first request, so this one asked a model for nothing.
    summary.outcome = RunOutcome::not_started;
    summary.cause = fmt::format("it wrote no event and ended with exit code {}", *facts.exit_code);
    summary.spend = {Certainty::exact, {}};
  } else {
    summary.outcome = RunOutcome::truncated;
    summary.cause = began ? "the stream ends without an end" : "the stream is empty";
  }
}

Spend spend_of(const Usage& total, Certainty certainty, const RunFacts& facts) {
  if (!facts.before) {
    return {certainty, total};
  }
  const std::optional<Usage> spent = difference(total, *facts.before);
  return spent ? Spend{certainty, *spent} : Spend{};
}

}  // namespace assay::agent
