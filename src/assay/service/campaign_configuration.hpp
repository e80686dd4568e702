#pragma once

#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/ledger.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Limits in the ledger's units, rounded down where they are no money: a limit is never passed by rounding.
[[nodiscard]] control::Budget limits_of(const RaisedBudget& given);

/// Makes the configuration of a campaign from what a person gives, with all that is looked up: definition, workloads, baseline,
/// candidates, agents. What cannot be is an input error, before anything is created.
[[nodiscard]] base::Result<control::CampaignConfiguration> configure(const Context& context,
                                                                     const CampaignOptions& options);

}  // namespace assay::service
