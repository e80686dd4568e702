#pragma once

#include <string>

#include <assay/report/model.hpp>
#include <assay/report/table.hpp>

namespace assay::report {

/// Renders a summary for the terminal: the decision, the headline numbers, the outcomes and the best
/// candidates. Ends in a newline.
[[nodiscard]] std::string render_text(const CampaignReport& report, Colour colour = Colour::off);

}  // namespace assay::report
