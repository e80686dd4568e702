#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/archive/archive.hpp>
#include <assay/control/recorded_campaign.hpp>

namespace assay::control {

/// Proposes what is in a journal: what agents left cannot be made again, it can only be taken from the archive. Which number
/// each has, whom it repeats and what becomes of it is decided anew.
class RecordedProposer final : public agent::Proposer {
 public:
  /// Both must outlive the object.
  RecordedProposer(const archive::Archive& archive, const RecordedCampaign& recorded)
      : archive_(archive), recorded_(recorded) {}

  /// The round that is proposed for next.
  void stand_at(int round);

  [[nodiscard]] std::string name() const override;
  /// How runs ended, abandoned ones too, is taken from the journal: nobody ends one here.
  [[nodiscard]] bool is_running() const override { return true; }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history,
                                                                   int count) override;

 private:
  /// The hypothesis of this number, if it was stated together with the round's proposals.
  [[nodiscard]] std::optional<task::Hypothesis> stated_in_round(int number) const;

  const archive::Archive& archive_;
  const RecordedCampaign& recorded_;
  int round_ = 0;
  const CandidatesProposed* proposed_ = nullptr;  // nullptr: the journal has no such round.
};

/// Tells whether the campaign's rounds were proposed by the built-in tuner.
[[nodiscard]] bool is_tuned(const RecordedCampaign& recorded);

}  // namespace assay::control
