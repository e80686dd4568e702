#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/proposer.hpp>

/// Whose sources the next candidates begin with. Everything here is a pure function of the campaign's seed and of what was
/// measured: a resumed campaign, and one that is replayed, choose the same.
namespace assay::agent {

/// What the choice of parents may know of a candidate: measurements, never words.
struct Individual {
  int number = 0;                          ///< 0: the baseline, which comes first.
  int round = 0;                           ///< 0: the baseline, or supplied by hand.
  std::optional<int> parent;               ///< Absent: the baseline.
  std::optional<LogInterval> log_latency;  ///< On any scale that all share. Absent: not correct, so never a parent.
  std::string cell;                        ///< Where it stands among the kinds of candidates.
};

struct PopulationRules {
  std::uint64_t seed = 0;
  int islands = 3;
  int migration_rounds = 4;  ///< After every so many rounds each island's surest gain is copied to the next one.
  int offers = 2;            ///< In a round.
};

/// A parent for one candidate of a round.
struct ParentOffer {
  int parent = 0;  ///< 0: the baseline.
  int island = 0;
  std::string cell;
  bool operator==(const ParentOffer&) const = default;
};

/// What is believed of one candidate: its log latency as a normal distribution. A measurement counts for as much as its
/// interval is narrow; what it leaves open is filled with its parent's, for most changes change little.
struct Belief {
  double mean = 0;
  double variance = 0;
};

/// Islands that share few members, each divided into cells. An island keeps the best of every cell, so that a kind of
/// candidate that is slow today is not lost to one that is fast; which cell gives the parent is drawn by rank, and within
/// it by a draw from each one's belief, so that a lucky measurement has to be as sure as the others to win often.
class Population {
 public:
  /// Takes individuals by ascending number, the baseline first, and plays the rounds before `round` again: a child lives
  /// on the island that its parent was offered on.
  Population(const PopulationRules& rules, std::vector<Individual> individuals, int round);

  /// The parents that are offered for the round.
  [[nodiscard]] std::vector<ParentOffer> offers() const { return offers_of(round_); }
  /// Numbers of an island's members, the baseline and those that never become parents too, ascending.
  [[nodiscard]] const std::vector<int>& members(int island) const;
  /// One an individual; absent where nothing was measured.
  [[nodiscard]] std::vector<std::optional<Belief>> beliefs() const { return beliefs_before(round_); }

 private:
  [[nodiscard]] std::vector<std::optional<Belief>> beliefs_before(int round) const;
  [[nodiscard]] std::vector<ParentOffer> offers_of(int round) const;
  void settle(int round);
  void migrate(int round);
  void join(int island, int number);

  PopulationRules rules_;
  std::vector<Individual> individuals_;
  int round_;
  std::vector<std::vector<int>> islands_;
};

/// The cell of a solution: its language, the regime in which it surely gained most, and the size class of its sources (a
/// factor of four each).
[[nodiscard]] std::string cell_of(const task::Solution& solution, const std::string& regime_won);

/// The baseline, as 0 on the scale of the trials, and the trials.
[[nodiscard]] std::vector<Individual> individuals_of(const task::Solution& baseline, const std::vector<Trial>& history);

}  // namespace assay::agent
