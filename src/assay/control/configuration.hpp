#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/control/ledger.hpp>
#include <assay/promote/policy.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/workload.hpp>

namespace assay::control {

/// An agent with its model and its language: what a run may be given to.
struct AgentArm {
  std::string word;   ///< "codex", "claude", "http:URL", or "command:PROGRAM".
  std::string model;  ///< Empty: the program's default.
  /// What it begins with in a language of its own, and where it stays; absent: the baseline, and the fastest of all.
  std::optional<task::Solution> origin;
};

/// Names an arm so that no other of its campaign has the name: "claude (opus, cuda)". Alone it is its word.
[[nodiscard]] std::string arm_name(const AgentArm& arm, bool alone);

/// Three roles propose rather than one agent.
struct FullAgentPlan {
  std::string planner;  ///< Words as AgentPlan's.
  std::string summariser;
  int islands = 3;
  int migration_rounds = 4;
  bool summarise_last =
      true;  ///< The candidates of the last round too, before the confirmation; campaigns of before: no.
};

/// Which agent proposes, and what it may cost.
struct AgentPlan {
  std::string word;    ///< "codex", "claude", "http:URL", or "command:PROGRAM".
  std::string model;   ///< Empty: the program's default.
  bool tools = false;  ///< It may submit candidates during its run, by tools (MCP); each is then a round.
  int minutes_per_run = 20;
  std::int64_t micro_dollars_per_run = 0;  ///< Set aside for a run, and booked where its account is lost.
  std::int64_t tokens_per_run = 0;         ///< The same.
  Budget budget;
  std::optional<task::Solution> origin = {};  ///< As an arm's.
  std::vector<AgentArm> others = {};          ///< Further arms; each run goes to one of them all (routing.hpp).

  /// All of them, the first first. Not empty.
  [[nodiscard]] std::vector<AgentArm> arms() const;
  std::optional<FullAgentPlan> full_agent;  ///< Then `word` is the executor's.
};

/// How the supervisor goes about it. 1: campaigns of before. 2: it knows how near the roofline the search is where that was
/// modelled, and a person who is asked may close a route.
inline constexpr int kNewestHabits = 2;

/// What the supervisor of a campaign goes by; stored, so that a later Assay with other habits comes to the same.
struct Supervision {
  int horizon = 8;                                ///< Candidates ahead that a plateau is about.
  double least_probability = 0.1;                 ///< Of an improvement among them; below it is a plateau.
  int deadline_rounds = 3;                        ///< Rounds that a question about the search waits for an answer.
  std::optional<double> ask_above_sweep_seconds;  ///< A sweep whose calls may take longer is not made unasked.
  int habits = kNewestHabits;
};

/// Everything that decides a campaign; stored with it when it is created, so that `resume` needs nothing else.
struct CampaignConfiguration {
  std::string name;            ///< [0-9a-z-], at most 40 characters, not starting or ending with '-'.
  std::string device = "cpu";  ///< base::DeviceName.
  task::Definition definition;
  std::vector<task::Workload> workloads;
  task::Solution baseline;
  std::vector<task::Solution> supplied;   ///< Candidates by hand: evaluated first, in this order.
  std::optional<task::Solution> tunable;  ///< What the built-in tuner searches.
  std::uint64_t tuner_seed = 0;
  int rounds = 3;  ///< Rounds of proposals, after the supplied candidates.
  int candidates_per_round = 8;
  std::optional<AgentPlan> agent;  ///< Absent: the tuner proposes, if anybody.
  Budget budget;                   ///< Of the whole campaign; what an agent may spend stands in its plan.
  promote::Policy policy;
  std::optional<Supervision> supervision;  ///< Absent: nobody watches.
};

/// The plan of its agent, with the model that a person has chosen since, if any.
[[nodiscard]] std::optional<AgentPlan> plan_with_model(const CampaignConfiguration& configuration,
                                                       const std::optional<std::string>& model);

/// The limits of the campaign: its own, and those of its agent.
[[nodiscard]] Budget budget_of(const CampaignConfiguration& configuration);

inline constexpr int kConfigurationVersion = 1;

[[nodiscard]] base::Json encode(const CampaignConfiguration& configuration);

/// Decodes and checks a configuration: its name, each workload against the definition, that workloads and solutions
/// belong to the definition. Errors name the JSON pointer and the remedy. A service that makes one from a person's
/// options passes it through here before it creates the campaign.
[[nodiscard]] base::Result<CampaignConfiguration> decode_configuration(const base::Json& json, std::string_view source);

/// Returns the seed of a simulated device; nullopt for any other device.
[[nodiscard]] std::optional<std::uint64_t> simulated_seed(std::string_view device);

}  // namespace assay::control
