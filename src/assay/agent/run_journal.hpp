#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <assay/agent/claims.hpp>
#include <assay/agent/round_plan.hpp>
#include <assay/agent/run_outcome.hpp>
#include <assay/agent/usage.hpp>
#include <assay/base/error.hpp>

namespace assay::agent {

/// A run that is about to be made, and the most that it may cost.
struct RunIntent {
  std::string agent;
  Usage most;
  std::chrono::nanoseconds wall{};
};

/// How it went. None of it is evidence about a candidate.
struct RunEnding {
  std::string id;
  RunOutcome outcome = RunOutcome::truncated;
  std::string cause;
  std::string session;
  std::string model;
  Spend spend;
  std::chrono::nanoseconds wall{};
};

/// Whoever runs agents tells it here, before and after: what was spent must be known although the teller may die.
class RunJournal {
 public:
  virtual ~RunJournal() = default;
  /// Writes the intent down and returns the run's id, which no other run has. An input error "budget.reached" if it may not
  /// be made.
  [[nodiscard]] virtual base::Result<std::string> intend(const RunIntent& intent) = 0;
  [[nodiscard]] virtual base::Result<void> end(const RunEnding& ending) = 0;
  /// Says which of these agents has the next run, and writes down why. `arms` is not empty. One that keeps no record of them
  /// takes the first.
  [[nodiscard]] virtual base::Result<std::size_t> choose(const std::vector<std::string>& /*arms*/) {
    return std::size_t{0};
  }
  /// Keep what a round is to try, and what was said of its candidates: neither is asked for twice after a resume.
  [[nodiscard]] virtual base::Result<void> keep(const RoundPlan& /*plan*/) { return {}; }
  [[nodiscard]] virtual base::Result<void> keep(const Summary& /*summary*/) { return {}; }
};

}  // namespace assay::agent
