#pragma once

#include <string>

#include <assay/report/model.hpp>

namespace assay::report {

/// Returns the outcome counts as a list of badges, "not judged yet" last.
[[nodiscard]] std::string outcome_list(const CampaignReport& report);

/// Returns the table of every candidate, one row each with the anchor "candidate-<number>".
[[nodiscard]] std::string candidate_table(const CampaignReport& report);

/// Returns the table of injections: what was sent through, what it got, and what is wrong about that.
[[nodiscard]] std::string injection_table(const CampaignReport& report);

}  // namespace assay::report
