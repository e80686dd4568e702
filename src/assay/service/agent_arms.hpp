#pragma once

#include <vector>

#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/dataset/dataset.hpp>
#include <assay/service/campaign.hpp>

namespace assay::service {

/// Makes the arms of a campaign: each agent that was named, in each language that was named, with what it begins with there (the
/// baseline, or else the dataset's first solution in that language). An agent that cannot be started, and a language without a
/// solution to begin with, are input errors: they are told before anything is measured. Of `configuration` the definition and
/// the baseline are there.
[[nodiscard]] base::Result<std::vector<control::AgentArm>> plan_arms(
    const dataset::Dataset& dataset, const AgentOptions& given, const control::CampaignConfiguration& configuration);

}  // namespace assay::service
