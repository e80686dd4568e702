#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// What was written.
struct ExportReport {
  std::string solution;  ///< Name of the exported solution.
  std::string definition;
  std::size_t traces = 0;
  std::vector<os::Path> files;  ///< Relative to the folder, sorted.
};

/// Writes a folder that is a dataset of its own in the FlashInfer-Trace layout: definition, workloads, the incumbent of
/// a campaign (or one candidate, by digest or prefix), and one trace a workload of its best evidence: the confirmation,
/// else its newest sweep, else its newest evaluation. Latencies are ours; the reference latency is the incumbent's of
/// that session, which is said in each trace.
[[nodiscard]] base::Result<ExportReport> export_solution(const Context& context,
                                                         const std::string& campaign_or_candidate,
                                                         const os::Path& folder);
[[nodiscard]] base::Json encode(const ExportReport& report);

}  // namespace assay::service
