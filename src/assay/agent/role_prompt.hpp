#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/claims.hpp>
#include <assay/agent/prompt.hpp>
#include <assay/agent/round_plan.hpp>

/// The prompts of the three roles. All are written from the campaign's state; what candidates and agents said stays in the
/// cells of tables, and of summaries only what was checked is here.
namespace assay::agent {

/// Asks for hypotheses, one for each of `most` candidates. `faults`: what was wrong with the answer before.
[[nodiscard]] std::string planner_prompt(const Situation& situation, const std::vector<ParentOffer>& offers,
                                         std::size_t most, const std::vector<std::string>& faults);

/// Asks for a candidate. `planned`: the hypothesis that it is about; nullptr: the agent states its own.
[[nodiscard]] std::string executor_prompt(const Situation& situation, const PlannedHypothesis* planned);

/// Asks what was changed, and why it went as it did.
[[nodiscard]] std::string summariser_prompt(const Situation& situation, const std::vector<ClaimFacts>& facts,
                                            const std::vector<std::string>& faults);

/// What is given on the command line of a planner or a summariser.
inline constexpr const char* kAnswerPrompt =
    "Read PROMPT.md in the current folder and do what it says. Only your answer counts: put it into answer.json.";

}  // namespace assay::agent
