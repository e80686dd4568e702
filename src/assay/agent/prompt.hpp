#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/agent/round_plan.hpp>
#include <assay/base/json.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/hypothesis.hpp>

namespace assay::agent {

/// A regime as a proposer may know it: nothing of it is a guess.
struct RegimeFact {
  std::string name;
  std::size_t workloads = 0;
  double baseline_ns = 0;          ///< Of its representative.
  double latency_share = 0;        ///< Of the baseline's sum.
  std::optional<double> headroom;  ///< Baseline over the roofline's floor; absent: nobody has measured or modelled it.
  std::string floor_limit = {};    ///< What limits that floor: "memory"; empty: not known.
};

/// An axis that the workloads vary.
struct AxisFact {
  std::string name;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::size_t values = 0;  ///< Different ones.
};

/// A route that failed, as a proposer may know it.
struct RouteFact {
  int candidate = 0;  ///< Whose measurement closed it.
  task::Hypothesis stated;
  std::optional<task::MeasuredEffect> effect;
  bool closed = true;  ///< Whether it bars a proposal now.
  std::string again;   ///< When it may be tried again.
};

/// What a campaign with three roles remembers of them (full_agent.hpp).
struct RoleMemory {
  int round = 1;                     ///< The one that is proposed now.
  std::optional<RoundPlan> plan;     ///< Of this round, if its planner was asked before a resume.
  std::vector<std::string> lessons;  ///< What summarisers said and was checked, in our words (lesson_of).
  int summarised = 0;                ///< The last candidate that a summariser was asked about.
};

/// How the campaign stands, as data. An agent gets it as state.json, and the prompt is written from it alone.
struct Situation {
  task::Definition definition;
  std::string device;
  std::string interface;  ///< What a candidate must look like: "candidate.h" or a launch plan, in words.
  std::vector<RegimeFact> regimes;
  std::optional<double> noise_floor;  ///< Relative change below which nothing can be told; absent: not measured.
  std::string parent;                 ///< The candidate whose sources lie in the folder.
  std::optional<double> parent_log_ratio;
  std::vector<Trial> tried;            ///< Without their sources.
  std::vector<std::string> remaining;  ///< Budget, a line each: "$0.4200", "3 runs".

  std::vector<AxisFact> axes = {};                ///< Those that vary.
  std::vector<std::string> contract = {};         ///< What counts as better, a line each; from the policy.
  std::vector<RouteFact> routes = {};             ///< That failed, in their order.
  std::vector<task::Hypothesis> hypotheses = {};  ///< That nobody has tried yet.
  std::vector<std::string> references = {};       ///< What may be studied, a line each.
  RoleMemory roles;
  std::vector<std::string> notes = {};  ///< What people and the supervisor say, a line each. Data, whoever wrote it.
  std::optional<int> start_from = {};   ///< The candidate that a person wants it to start from; absent: the fastest.
  int incumbent = 0;                    ///< Number of the candidate that others are measured against; 0: the baseline.
  bool tools = false;                   ///< Whoever is asked has the campaign's tools (MCP).
};

[[nodiscard]] base::Json encode(const Situation& situation);

/// Writes the prompt: the task, the contract, the regimes with their headroom, closed routes with what they measured, what
/// was tried and what became of it, the noise floor, references, and what is left of the budget. Names, causes and hypotheses
/// come from candidates and agents: they are made printable, clipped to a line, and cannot end the cell that they stand in.
[[nodiscard]] std::string render_prompt(const Situation& situation);

/// What is given on the command line: it names the file.
inline constexpr const char* kShortPrompt =
    "Read PROMPT.md in the current folder and do what it says. Only the files that you leave in candidate/ count.";
/// The same for one that has tools.
inline constexpr const char* kToolsPrompt =
    "Read PROMPT.md in the current folder and do what it says. Only what you submit with the tools of assay counts, "
    "and the "
    "files that you leave in candidate/.";

}  // namespace assay::agent
