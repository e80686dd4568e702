#pragma once

#include <string>

#include <assay/report/comparison.hpp>
#include <assay/report/table.hpp>

namespace assay::cli {

/// Says which of two campaigns ended faster, and sets both side by side with their promotions. `page`: where it was written;
/// empty: nowhere.
[[nodiscard]] std::string print_campaign_comparison(const report::CampaignComparison& comparison,
                                                    const std::string& page, report::Colour colour);

}  // namespace assay::cli
