#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
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
  bool wall_known = true;  ///< False: its controller ended before it did, and its time is booked as it was set aside.
};

/// A run of the round that is under way, which a controller began that has ended since.
struct EarlierRun {
  std::string id;
  std::optional<RunOutcome> outcome;  ///< Absent: no controller lived to write it down.
  std::string agent = {};             ///< As RunIntent had it.
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
  /// The runs of the round that is being proposed for, in their order: there are some if a controller ended in its middle.
  /// Those without an outcome are the teller's to end, or to begin if they never were.
  [[nodiscard]] virtual std::vector<EarlierRun> earlier() const { return {}; }
  /// All runs of that round, those of this controller too: their folders stay until the round's proposals are written down.
  [[nodiscard]] virtual std::vector<EarlierRun> runs_of_round() const { return earlier(); }
  /// Runs that were a session of this id, in their order: what a program tells is the total of its session.
  [[nodiscard]] virtual std::vector<std::string> of_session(const std::string& /*session*/) const { return {}; }
  /// How much of the time that a run would like it may have.
  [[nodiscard]] virtual std::chrono::nanoseconds allowed_wall(std::chrono::nanoseconds wanted) const { return wanted; }
};

}  // namespace assay::agent
