#pragma once

#include <string>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/task/solution.hpp>

namespace assay::control {

/// Finds a solution of the campaign's definition in the archive by its content, and gives it its name back. `what` is for the
/// error: the archive is damaged if it is not there.
[[nodiscard]] base::Result<task::Solution> stored_solution(const archive::Archive& archive,
                                                           const CampaignConfiguration& configuration,
                                                           const task::CandidateIdentity& identity,
                                                           const std::string& name, const std::string& what);

}  // namespace assay::control
