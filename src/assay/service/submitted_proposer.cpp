#include <assay/service/submitted_proposer.hpp>

#include <algorithm>

namespace assay::service {

base::Result<std::vector<agent::Proposal>> SubmittedProposer::propose(const std::vector<agent::Trial>& history,
                                                                      int count) {
  ASSAY_TRY_ASSIGN(const std::vector<std::string> jobs, store_.jobs());
  std::vector<agent::Proposal> proposals;
  for (const std::string& job : jobs) {
    const bool known = std::any_of(history.begin(), history.end(),
                                   [&](const agent::Trial& trial) { return trial.solution.name == job; });
    if (known || proposals.size() == static_cast<std::size_t>(count)) {
      continue;
    }
    ASSAY_TRY_ASSIGN(auto submission, store_.find(job));
    if (!submission) {
      continue;  // Somebody removed the file: nothing is left of it to judge.
    }
    agent::Proposal proposal;
    proposal.solution = origin_;
    proposal.solution.name = job;
    proposal.solution.author = submission->by;
    proposal.solution.description.reset();
    proposal.solution.sources = std::move(submission->sources);
    proposal.hypothesis = std::move(submission->hypothesis);
    proposal.stated = std::move(submission->stated);
    proposal.parent = submission->parent;
    proposals.push_back(std::move(proposal));
  }
  if (proposals.empty() && when_empty_ == WhenEmpty::stop) {
    return base::environment_error(kNothingSubmitted, "nothing more has been submitted: `assay mcp` takes more");
  }
  return proposals;
}

}  // namespace assay::service
