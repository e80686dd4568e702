#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/agent_proposer.hpp>
#include <assay/agent/proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/state.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/file.hpp>
#include <assay/service/context.hpp>
#include <assay/service/conversing_proposer.hpp>

namespace assay::service {

/// Where an agent in its sandbox finds the socket of its campaign's tools.
inline constexpr const char* kToolFolderInside = "/assay-tools";
inline constexpr const char* kToolSocket = "tools";

/// An agent that is run in the sandbox and has its campaign's tools there: its client starts `assay mcp --connect`, which
/// reaches a socket that is shown to it and nothing else of this machine.
class ConversingAgent final : public agent::Proposer {
 public:
  /// `context` and `configuration` must outlive the object. An environment error if there are no tools to be had.
  [[nodiscard]] static base::Result<std::unique_ptr<ConversingAgent>> create(
      const Context& context, const control::CampaignConfiguration& configuration, agent::AgentSettings settings);

  /// Tells how the campaign stands, after each event.
  void follow(const control::CampaignState& state);

  [[nodiscard]] std::string name() const override { return proposer_->name(); }
  void attend(const agent::Situation& situation, agent::RunJournal& journal) override {
    proposer_->attend(situation, journal);
  }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history,
                                                                   int count) override {
    return proposer_->propose(history, count);
  }
  [[nodiscard]] bool is_running() const override { return proposer_->is_running(); }

 private:
  explicit ConversingAgent(os::TemporaryDirectory folder) : folder_(std::move(folder)) {}

  os::TemporaryDirectory folder_;  // Of the socket.
  os::Fd stop_;                    // Readable when a run is to end.
  int rounds_ = 0;
  std::atomic<int> rounds_started_ = 0;
  std::unique_ptr<ConversingProposer> proposer_;
  std::shared_ptr<void> tools_;  // The last, so that it is gone first: they submit to the proposer.
};

}  // namespace assay::service
