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

/// Which agent proposes, and what it may cost.
struct AgentPlan {
  std::string word;   ///< "codex", "claude", or "command:PROGRAM".
  std::string model;  ///< Empty: the program's default.
  int minutes_per_run = 20;
  std::int64_t micro_dollars_per_run = 0;  ///< Set aside for a run, and booked where its account is lost.
  std::int64_t tokens_per_run = 0;         ///< The same.
  Budget budget;
};

/// What the supervisor of a campaign goes by; stored, so that a later Assay with other habits comes to the same.
struct Supervision {
  int horizon = 8;                                ///< Candidates ahead that a plateau is about.
  double least_probability = 0.1;                 ///< Of an improvement among them; below it is a plateau.
  int deadline_rounds = 3;                        ///< Rounds that a question about the search waits for an answer.
  std::optional<double> ask_above_sweep_seconds;  ///< A sweep whose calls may take longer is not made unasked.
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
  promote::Policy policy;
  std::optional<Supervision> supervision;  ///< Absent: nobody watches.
};

inline constexpr int kConfigurationVersion = 1;

[[nodiscard]] base::Json encode(const CampaignConfiguration& configuration);

/// Decodes and checks a configuration: its name, each workload against the definition, that workloads and solutions
/// belong to the definition. Errors name the JSON pointer and the remedy. A service that makes one from a person's
/// options passes it through here before it creates the campaign.
[[nodiscard]] base::Result<CampaignConfiguration> decode_configuration(const base::Json& json, std::string_view source);

/// Returns the seed of a simulated device; nullopt for any other device.
[[nodiscard]] std::optional<std::uint64_t> simulated_seed(std::string_view device);

}  // namespace assay::control
