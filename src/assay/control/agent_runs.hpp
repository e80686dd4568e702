#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <assay/agent/prompt.hpp>
#include <assay/agent/run_journal.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>

namespace assay::control {

/// Writes the runs of agents into a campaign's journal, and lets none begin that its budget does not hold.
class AgentRuns final : public agent::RunJournal {
 public:
  /// `record` appends an event and follows it, so that `state` has it. All references must outlive this.
  using Record = std::function<base::Result<void>(const Entry&)>;
  AgentRuns(const CampaignConfiguration& configuration, const CampaignState& state, Record record)
      : configuration_(configuration), state_(state), record_(std::move(record)) {}

  /// Ends, at what was set aside for them, the runs whose controller died: nobody knows any more what they cost.
  [[nodiscard]] base::Result<void> end_abandoned();

  /// Ends what was abandoned first: whoever begins a new run has taken over from what he could.
  [[nodiscard]] base::Result<std::string> intend(const agent::RunIntent& intent) override;
  [[nodiscard]] base::Result<void> end(const agent::RunEnding& ending) override;
  [[nodiscard]] base::Result<std::size_t> choose(const std::vector<std::string>& arms) override;
  [[nodiscard]] base::Result<void> keep(const agent::RoundPlan& plan) override;
  [[nodiscard]] base::Result<void> keep(const agent::Summary& summary) override;
  [[nodiscard]] std::vector<agent::EarlierRun> earlier() const override;
  [[nodiscard]] std::vector<std::string> of_session(const std::string& session) const override;
  /// Of a limited wall, no more than is left beside what judging the candidate and confirming are expected to take; of a run
  /// that is under way, what was set aside for it.
  [[nodiscard]] std::chrono::nanoseconds allowed_wall(std::chrono::nanoseconds wanted) const override;

 private:
  const CampaignConfiguration& configuration_;
  const CampaignState& state_;
  Record record_;
};

/// What three roles are told of their own: of what summarisers said only what was checked.
[[nodiscard]] agent::RoleMemory role_memory(const CampaignState& state);

/// The id of the run of an agent that is made next.
[[nodiscard]] std::string run_id(const CampaignConfiguration& configuration, const CampaignState& state);

}  // namespace assay::control
