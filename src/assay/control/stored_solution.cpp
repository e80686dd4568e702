#include <assay/control/stored_solution.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace assay::control {

base::Result<task::Solution> stored_solution(const archive::Archive& archive,
                                             const CampaignConfiguration& configuration,
                                             const task::CandidateIdentity& identity, const std::string& name,
                                             const std::string& what) {
  // The archive knows contents, not names: it may have the same content from elsewhere, and for another definition.
  ASSAY_TRY_ASSIGN(auto stored, archive.candidate(identity.content.hex()));
  if (!stored || stored->solution.definition != configuration.definition.name) {
    ASSAY_TRY_ASSIGN(const auto all, archive.candidates(configuration.definition.name));
    const auto found = std::find_if(all.begin(), all.end(), [&](const archive::StoredCandidate& one) {
      return one.identity.content == identity.content;
    });
    stored = found == all.end() ? std::nullopt : std::optional(*found);
  }
  if (!stored) {
    return base::environment_error("archive.damaged",
                                   fmt::format("campaign {}: {} ({}) is not in the archive: run `assay archive verify`",
                                               configuration.name, what, identity.content.brief()));
  }
  stored->solution.name = name;
  return std::move(stored->solution);
}

}  // namespace assay::control
