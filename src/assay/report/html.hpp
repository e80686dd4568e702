#pragma once

#include <string>

#include <assay/report/model.hpp>

namespace assay::report {

/// Renders one self-contained page: no script, nothing fetched, readable in light and dark, on paper and by
/// screen readers. It is XML too, so that tools can read it. Pure: the same model gives the same bytes.
/// Control characters and bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string render_html(const CampaignReport& report);

}  // namespace assay::report
