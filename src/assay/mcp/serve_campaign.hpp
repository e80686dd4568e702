#pragma once

#include <assay/base/error.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::mcp {

/// Serves the tools of a campaign to one client until it leaves. `configured`: the options say more than a name, so the
/// campaign is made by them if there is none, and must have been made by the same ones if there is. Without, it must exist.
/// If a judge is at work when the client leaves, this process ends here and now, and the judge with it: clients do not wait,
/// the archive is safe at any moment, and what was submitted is judged when the campaign goes on.
[[nodiscard]] base::Result<void> serve_campaign(const service::Context& context,
                                                const service::CampaignOptions& options, bool configured, int input,
                                                int output);

}  // namespace assay::mcp
