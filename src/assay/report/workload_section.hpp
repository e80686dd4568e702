#pragma once

#include <string>

#include <assay/report/figures.hpp>
#include <assay/report/model.hpp>

namespace assay::report {

/// Returns one row a group of workloads: how many, medians of both sides, mean and least speedup. A workload
/// without both times makes its group incomplete: the means are then withheld, never taken over the rest.
[[nodiscard]] std::string group_table(const CampaignReport& report, const WorkloadGroups& groups);

/// Returns the table of every workload, folded away if it is long.
[[nodiscard]] std::string workload_table(const CampaignReport& report, const WorkloadGroups& groups);

}  // namespace assay::report
