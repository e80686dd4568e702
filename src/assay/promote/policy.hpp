#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/task/request.hpp>

namespace assay::promote {

/// Who lets a winner become the incumbent. Persisted as "policy" and "person".
enum class Approval : std::uint8_t { policy, person };

[[nodiscard]] std::string_view to_string(Approval approval);

/// How often a campaign sends solutions through gate and sweep whose answer is known, to see whether its rules find it.
/// Chances, drawn from the campaign's seed after each round; none by default.
struct Injections {
  double null_rate = 0;         ///< That a copy of the incumbent goes through the gate.
  double null_sweep_share = 0;  ///< That such a copy is swept, whatever its gate says.
  double slower_rate = 0;       ///< That the baseline does, once the incumbent surely beats it by far.
};

/// How surely a winner must be known to be right before it is promoted: the sweep's comparison is followed by trials, which
/// go where earlier candidates failed, and none may fail.
struct ReplayRule {
  int trials = 0;  ///< Of a sweep that came out better; 0: none.
  double failure_bound =
      1;  ///< Upper bound of the failure rate that is accepted, at stats::kVerdictConfidence. 1: any.
  /// The same for some operators, by a definition's name or its op_type.
  task::Named<double> failure_bounds;
};

/// The contract of a campaign, written by a person in TOML; policies/quick.toml shows every field and its meaning.
/// A field that is missing takes the default here; an unknown field is an error that names it.
struct Policy {
  int version = 1;
  std::string name = "quick";
  int gate_workloads = 3;  ///< Representatives, one a regime.
  /// Limits, alpha and effect of the gate; its minimum_sandbox, clock and cache are the sweep's too.
  task::SessionPlan gate;
  task::SessionPlan sweep;               ///< Likewise of the sweep; its alpha bounds a false promotion.
  double maximum_mean_regression = 0.0;  ///< Guard: mean latency over all workloads may not rise by more.
  double maximum_p95_regression = 0.10;  ///< Guard: the 95th percentile of per-workload ratios, minus one.
  ReplayRule replay;
  int sweeps_per_round = 1;  ///< How many of a round's gate winners, best first, may be swept.
  Approval approval = Approval::policy;
  Injections injections;
};

/// The only version that is written and read.
inline constexpr int kPolicyVersion = 1;

/// Returns a built-in policy ("quick", "standard", "release"); nullopt if there is none of that name.
[[nodiscard]] std::optional<Policy> built_in_policy(std::string_view name);
/// Lists the names that built_in_policy knows.
[[nodiscard]] std::vector<std::string> built_in_policy_names();

/// Returns the plan as it is followed on a device (base::DeviceName): on a GPU, where a call takes microseconds, four times
/// as many timed calls a pair, which the judge's own clock needs to confirm a gain.
[[nodiscard]] task::SessionPlan plan_on(std::string_view device, task::SessionPlan plan);

/// Returns the failure rate that the policy accepts of candidates for a definition: by its name, else by its op_type, else
/// what holds for all. 1: it asks for no bound.
[[nodiscard]] double failure_bound(const Policy& policy, const task::Definition& definition);

/// Parses TOML. Errors name the file, the line, the field and the remedy.
[[nodiscard]] base::Result<Policy> parse_policy(std::string_view toml, std::string_view source);

/// Says in sentences what the policy will do, what it leans on, and what it costs.
[[nodiscard]] std::vector<std::string> explain(const Policy& policy);

/// Encode and decode the stored form, which has the fields of the TOML form, all present.
[[nodiscard]] base::Json encode(const Policy& policy);
[[nodiscard]] base::Result<Policy> decode_policy(const base::Json& json, std::string_view source);

}  // namespace assay::promote
