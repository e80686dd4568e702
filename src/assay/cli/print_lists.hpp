#pragma once

#include <string>
#include <vector>

#include <assay/report/table.hpp>
#include <assay/service/archive_care.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/doctor.hpp>
#include <assay/service/export.hpp>
#include <assay/service/inspect.hpp>
#include <assay/service/validate.hpp>

namespace assay::cli {

/// Render results for people. All text of candidates is made printable.
[[nodiscard]] std::string print_doctor(const service::DoctorReport& report, report::Colour colour);
[[nodiscard]] std::string print_validation(const service::Validation& validation, const std::string& file);
[[nodiscard]] std::string print_candidates(const std::vector<service::CandidateLine>& candidates,
                                           report::Colour colour);
[[nodiscard]] std::string print_shown(const service::Shown& shown, report::Colour colour);
[[nodiscard]] std::string print_sources(const service::Shown& shown);
/// One line a campaign.
[[nodiscard]] std::string print_campaigns(const std::vector<service::CampaignStatus>& campaigns, report::Colour colour);
/// A policy's sentences, one a line.
[[nodiscard]] std::string print_policy(const std::string& name, const std::vector<std::string>& sentences);
/// What can be done next with a campaign; empty if nothing is left to do.
[[nodiscard]] std::string next_step(const service::CampaignStatus& status);
[[nodiscard]] std::string print_verify(const archive::VerifyReport& report);
[[nodiscard]] std::string print_collect(const archive::CollectReport& report);
[[nodiscard]] std::string print_statistics(const service::ArchiveStatistics& statistics);
/// Where candidates failed, the newest first.
[[nodiscard]] std::string print_failures(const std::vector<service::KeptFailure>& kept, report::Colour colour);
[[nodiscard]] std::string print_export(const service::ExportReport& report, const std::string& folder);

}  // namespace assay::cli
