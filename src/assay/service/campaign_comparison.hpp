#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/report/comparison.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Holds two campaigns of one archive beside each other: gain over spend, and whether it can be said which ended faster. They
/// must be about the same definition, workloads, device and baseline; other differences are told.
[[nodiscard]] base::Result<report::CampaignComparison> compare_campaigns(const Context& context,
                                                                         const std::string& first,
                                                                         const std::string& second);

/// One side, from its journal.
[[nodiscard]] base::Result<report::ComparedCampaign> compared_campaign(const CampaignStatus& status,
                                                                       const std::vector<archive::Event>& events,
                                                                       std::optional<control::Resource> axis);

/// On what two campaigns' spending is shown: the first of dollars, tokens and the time of agents and judges of which
/// both spent; none: the time that went by.
[[nodiscard]] std::optional<control::Resource> common_axis(const control::Ledger& first, const control::Ledger& second);

/// Which of two confirmed speedups is larger, where that can be said: both intervals must lie apart.
struct EndVerdict {
  bool decided = false;
  std::string statement;
};
[[nodiscard]] EndVerdict judge_ends(const report::ComparedCampaign& first, const report::ComparedCampaign& second,
                                    const std::vector<std::string>& other_conditions);

[[nodiscard]] base::Json encode(const report::CampaignComparison& comparison);

/// Writes the page of a comparison as one HTML file; folders above it are created.
[[nodiscard]] base::Result<void> write_comparison(const report::CampaignComparison& comparison, const os::Path& file);

}  // namespace assay::service
