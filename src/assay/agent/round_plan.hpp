#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/population.hpp>
#include <assay/agent/proposer.hpp>
#include <assay/base/json.hpp>
#include <assay/task/hypothesis.hpp>

/// What a planner answers, and what a campaign keeps of it.
namespace assay::agent {

/// One thing to try, stated before anything is measured. All text is a model's: it is shown, and is never evidence.
struct PlannedHypothesis {
  int parent = 0;      ///< One of those that were offered; 0: the baseline.
  std::string regime;  ///< "all", or a regime's name.
  std::string limiting_resource;
  std::string mechanism;         ///< Why it should be faster.
  std::string change;            ///< What is to be done.
  double predicted_speedup = 1;  ///< Over the parent, above 0: what the measurement will be held against.
  std::string differs = {};      ///< From the closed route that it takes again; empty: nothing.
  bool operator==(const PlannedHypothesis&) const = default;
};

/// What one round is to try. Journalled before anybody tries it.
struct RoundPlan {
  int round = 0;
  std::string run;  ///< Of the planner whose answer this is; empty: none gave any that could be used.
  std::vector<ParentOffer> offers;
  std::vector<PlannedHypothesis> hypotheses;
  std::vector<std::string> faults;  ///< What was wrong with its answers.
};

/// What an answer is held against.
struct PlanRules {
  std::vector<ParentOffer> offers;
  std::vector<std::string> regimes;  ///< Beside "all".
  std::size_t most = 1;              ///< Hypotheses; further ones are left out.
};

/// What could be read of an answer: what is good, and what is wrong with the rest, a line each.
struct PlanReading {
  std::vector<PlannedHypothesis> hypotheses;
  std::vector<std::string> faults;
};

/// Reads an answer. One hypothesis that is wrong does not spoil the others.
[[nodiscard]] PlanReading read_plan_answer(std::string_view answer, const PlanRules& rules);

/// The schema that a planner's answer has: schemas/plan.schema.json is the same.
[[nodiscard]] std::string plan_schema();

/// What the candidate of a hypothesis carries.
[[nodiscard]] Hypothesis stated(const PlannedHypothesis& planned);
/// The same for the campaign's memory, where its parent is the incumbent: what is measured is a ratio to the incumbent. A size
/// that is predicted as one number is the largest gain; a smaller one, surely there, falsifies nothing.
[[nodiscard]] task::Hypothesis hypothesis_of(const PlannedHypothesis& planned);

[[nodiscard]] base::Json encode(const RoundPlan& plan);

/// Bounds of what is kept of a model's texts, in bytes.
inline constexpr std::size_t kLongestStatement = 300;
inline constexpr std::size_t kMostAnswerFaults = 16;

/// A model's text as it is kept: printable, on one line, clipped.
[[nodiscard]] std::string kept_statement(std::string_view text);

}  // namespace assay::agent
