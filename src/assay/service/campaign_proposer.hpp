#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/prompt.hpp>
#include <assay/agent/proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/state.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// What proposes in a campaign, by the campaign's own record: the tuner, agents, roles, or what was submitted. A person who
/// chooses another model while the campaign runs is heard before its next round.
class CampaignProposer final : public agent::Proposer {
 public:
  /// Told how the campaign stands, after each event.
  using Follow = std::function<void(const control::CampaignState& state)>;

  /// The references must outlive the object.
  [[nodiscard]] static base::Result<std::unique_ptr<CampaignProposer>> create(
      const Context& context, const control::CampaignConfiguration& configuration, const control::CampaignState& state);

  void follow(const control::CampaignState& state);

  [[nodiscard]] std::string name() const override { return inner_->name(); }
  void attend(const agent::Situation& situation, agent::RunJournal& journal) override;
  [[nodiscard]] bool is_running() const override { return inner_->is_running(); }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history,
                                                                   int count) override;
  [[nodiscard]] base::Result<void> conclude(const std::vector<agent::Trial>& history) override;

 private:
  CampaignProposer(const Context& context, const control::CampaignConfiguration& configuration)
      : context_(context), original_(configuration), configuration_(configuration) {}
  [[nodiscard]] base::Result<void> make();

  const Context& context_;
  const control::CampaignConfiguration& original_;
  control::CampaignConfiguration configuration_;  // With the model that was chosen.
  std::optional<std::string> chosen_;
  std::optional<std::string> made_with_;
  std::unique_ptr<agent::Proposer> inner_;
  Follow follow_;
  std::optional<agent::Situation> situation_;
  agent::RunJournal* journal_ = nullptr;
};

}  // namespace assay::service
