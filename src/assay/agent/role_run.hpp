#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/agent_choice.hpp>
#include <assay/agent/agent_run.hpp>
#include <assay/agent/run_journal.hpp>
#include <assay/os/file.hpp>
#include <assay/task/solution.hpp>

namespace assay::agent {

enum class Role : std::uint8_t { planner, executor, summariser };
inline constexpr std::array<std::string_view, 3> kRoles = {"planner", "executor", "summariser"};
[[nodiscard]] constexpr std::string_view to_string(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

/// Who plays a role, and what one of its runs may cost.
struct RoleSettings {
  AgentChoice choice;
  RunLimits limits;
  Usage most;
};

/// What a run of a role is given.
struct RoleTask {
  Role role = Role::executor;
  std::string prompt;
  std::string state;                        ///< Of state.json.
  std::vector<task::SourceFile> candidate;  ///< Laid into candidate/.
  std::vector<task::SourceFile> files;      ///< Laid beside it.
  std::string schema;                       ///< Of the answer; empty: none is wanted.
  /// Whose sources `candidate` has: what the run leaves is held against it. nullptr: no candidate is wanted.
  const task::Solution* origin = nullptr;
};

/// Makes the program of a role's run that sees its working folder there.
using MakeRoleProgram = std::function<base::Result<AgentProgram>(const AgentChoice& choice, const os::Path& folder)>;

/// A run that was made, with its folder as it was left.
struct RoleRun {
  std::string id;
  RunOutcome outcome = RunOutcome::truncated;
  std::string cause;
  std::string answer;  ///< answer.json, or else what the program gave by the schema; empty: none.
  os::Path folder;     ///< Stays until the round's proposals are written down (kept_run.hpp).
};

/// Where runs of roles leave what they leave.
struct RolePlaces {
  os::Path records;  ///< A folder that keeps the stream of each run, as "<id>.jsonl".
  os::Path folders;  ///< Where each run has a folder of its own.
};

/// Makes one run on the rails of all agents: told to the journal before and after, in the sandbox, its stream and its folder
/// kept. Nothing: the budget does not hold it. What the environment fails at (no quota, say) is an error, and booked.
///
/// `earlier`: the round's runs of a controller that was killed, in their order. The first of this role that counts is taken
/// out of it, and from, instead of paying for another; one that was not begun is made under its old id.
[[nodiscard]] base::Result<std::optional<RoleRun>> run_role(const RoleSettings& settings, const RoleTask& task,
                                                            const MakeRoleProgram& make_program,
                                                            const RolePlaces& places, std::vector<EarlierRun>& earlier,
                                                            RunJournal& journal);

}  // namespace assay::agent
