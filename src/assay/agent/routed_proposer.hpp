#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/prompt.hpp>
#include <assay/agent/proposer.hpp>
#include <assay/agent/run_journal.hpp>

namespace assay::agent {

/// Several proposers with different names, of which the journal chooses one a run (RunJournal::choose). One whose environment
/// fails is left out for the rest of the round while there are others; if all do, the last failure is returned.
class RoutedProposer final : public Proposer {
 public:
  /// At least one.
  explicit RoutedProposer(std::vector<std::unique_ptr<Proposer>> arms) : arms_(std::move(arms)) {}

  [[nodiscard]] std::string name() const override { return "agents"; }
  void attend(const Situation& situation, RunJournal& journal) override;
  [[nodiscard]] base::Result<std::vector<Proposal>> propose(const std::vector<Trial>& history, int count) override;

 private:
  std::vector<std::unique_ptr<Proposer>> arms_;
  std::optional<Situation> situation_;
  RunJournal* journal_ = nullptr;
};

}  // namespace assay::agent
