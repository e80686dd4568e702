#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/task/hypothesis.hpp>
#include <assay/task/outcome.hpp>
#include <assay/task/solution.hpp>

namespace assay::agent {

class RunJournal;
struct Situation;

/// A bounded guess, stated before it is measured.
struct Hypothesis {
  std::string regime;             ///< "all", or a regime's name.
  std::string limiting_resource;  ///< "unknown" if nobody has measured it.
  std::string change;             ///< "BLOCK_V 4 -> 8 (parent 3)"
  std::string predicted_effect;   ///< "faster; size not predicted"
};

/// A ratio of times as a logarithm, with its interval; below 0 is faster.
struct LogInterval {
  double mean = 0;
  double lower = 0;
  double upper = 0;
  bool operator==(const LogInterval&) const = default;
};

struct Proposal {
  task::Solution solution;
  Hypothesis hypothesis;
  std::optional<int> parent;                              ///< Number of the candidate it was derived from.
  std::optional<task::Hypothesis> stated = std::nullopt;  ///< What it tests; absent: nothing that a rule could decide.
  /// Number of a hypothesis that was stated before, which nobody has tried: instead of `stated`.
  std::optional<int> tests = std::nullopt;
};

/// What became of an earlier proposal. Only what a proposer may know: never seeds, samples or expected values.
struct Trial {
  int number = 0;
  task::Solution solution;
  task::Outcome outcome = task::Outcome::measured;
  std::optional<double> log_ratio_to_baseline;  ///< Below 0 is faster. Chained over incumbents; absent if not measured.
  std::string change;                           ///< What its hypothesis said.
  std::string cause;                            ///< Why its outcome is what it is, in a sentence.
  int round = 0;                                ///< 0: supplied by hand.
  std::optional<int> parent;                    ///< Absent: the baseline, or nobody knows.
  std::optional<LogInterval> to_baseline;       ///< The ratio above with its interval, chained too.
  std::optional<LogInterval> at_gate;           ///< Its own gate, not chained.
  int gated_against = 0;                        ///< The incumbent of that time; 0: the baseline.
  std::string regime_won;                       ///< Where its gate measured the largest sure gain; empty: nowhere.
};

/// Proposes candidates. One that runs nothing must be a pure function of its configuration and the history, for a resumed
/// campaign asks again; one that runs agents tells each run to the journal, so that none is paid twice unseen.
class Proposer {
 public:
  virtual ~Proposer() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Tells how the campaign stands and where runs are written down, before each `propose` and `conclude`. The journal outlives
  /// those calls, the situation does not.
  virtual void attend(const Situation& /*situation*/, RunJournal& /*journal*/) {}
  /// Whether a run that was told to the journal goes on between two calls of `propose`.
  [[nodiscard]] virtual bool is_running() const { return false; }
  /// Nothing more is asked for: whoever has something to tell the journal of what was judged last does so.
  [[nodiscard]] virtual base::Result<void> conclude(const std::vector<Trial>& /*history*/) { return {}; }
  /// Returns up to `count` proposals; fewer or none when there is nothing left to try.
  [[nodiscard]] virtual base::Result<std::vector<Proposal>> propose(const std::vector<Trial>& history, int count) = 0;
};

}  // namespace assay::agent
