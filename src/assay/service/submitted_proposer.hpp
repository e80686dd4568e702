#pragma once

#include <string>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/service/submissions.hpp>
#include <assay/task/solution.hpp>

namespace assay::service {

/// Code of the error that stops a campaign whose next candidate has not been submitted yet. Nothing is journalled.
inline constexpr const char* kNothingSubmitted = "submissions.none";

/// Proposes what was submitted to a campaign and is not in its journal yet, in its order. Each has the baseline's entry point
/// and settings, and its job as its name, which is how the journal and the store are held against each other.
class SubmittedProposer final : public agent::Proposer {
 public:
  /// What follows when all that was submitted is in the journal.
  enum class WhenEmpty : std::uint8_t {
    end,   ///< Nothing more is asked for: the search ends.
    stop,  ///< The campaign stops with kNothingSubmitted, to be continued.
  };
  SubmittedProposer(SubmissionStore store, task::Solution origin, WhenEmpty when_empty)
      : store_(std::move(store)), origin_(std::move(origin)), when_empty_(when_empty) {}

  [[nodiscard]] std::string name() const override { return std::string(kSubmitted); }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history,
                                                                   int count) override;

 private:
  SubmissionStore store_;
  task::Solution origin_;
  WhenEmpty when_empty_;
};

}  // namespace assay::service
