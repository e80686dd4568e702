#pragma once

#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/control/state.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>

/// What tools tell of candidates that were judged. Lists are {"candidates", "more"}, the newest first, `limit` at most.
namespace assay::mcp {

/// The number's candidate; nullptr for the baseline. An input error if there is none.
[[nodiscard]] base::Result<const control::CandidateState*> numbered(const control::CampaignState& state, int number);

/// Those that failed, were not better, or were demoted.
[[nodiscard]] base::Json failed_candidates(const service::CampaignStatus& status, int limit);
/// Those whose name, change, regime or outcome has these words, whatever their case.
[[nodiscard]] base::Json candidates_with(const service::CampaignStatus& status, std::string_view words, int limit);
/// Those whose change says the same, or part of it.
[[nodiscard]] base::Json candidates_like(const service::CampaignStatus& status, const std::string& change, int limit);

/// What get_profile answers of a candidate, or of the baseline (0).
[[nodiscard]] base::Result<base::Json> profile_answer(const service::Context& context,
                                                      const service::CampaignStatus& status, int number);

}  // namespace assay::mcp
