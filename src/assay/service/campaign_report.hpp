#pragma once

#include <string>
#include <string_view>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/report/model.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Version of Assay, as in reports and `assay --version`.
[[nodiscard]] std::string_view version();

/// Fills the report's model from the archive: speedups from log-ratios; latencies from the confirmation, or else from
/// the last sweep and the baseline's own measurement; the environment of the newest of these.
[[nodiscard]] base::Result<report::CampaignReport> build_report(const archive::Archive& archive,
                                                                const CampaignStatus& status);

/// Does the same for a campaign by name.
[[nodiscard]] base::Result<report::CampaignReport> campaign_report(const Context& context, const std::string& campaign);

/// Writes the report of a campaign as one HTML file; folders above it are created.
[[nodiscard]] base::Result<void> write_report(const report::CampaignReport& report, const os::Path& file);

}  // namespace assay::service
