#include <assay/evaluate/check_definition.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/evaluate/bundle_draft.hpp>
#include <assay/task/bundle.hpp>
#include <assay/verify/admissibility.hpp>
#include <assay/verify/any_operator.hpp>

namespace assay::evaluate {
namespace {

// Enough for a pool's worth of kinds that an operator's official inputs take turns at.
constexpr int kCallsAWorkload = 4;

}  // namespace

base::Result<void> check_definition(const task::EvaluationRequest& request, const os::Path& bundle,
                                    const JudgeSettings& settings) {
  if (request.stage != task::Stage::check_definition || request.workloads.empty() || !request.seed) {
    return base::internal_error("check_definition.request", "a check_definition request has workloads and a seed");
  }
  for (const task::Workload& workload : request.workloads) {
    ASSAY_TRY(task::check_workload(request.definition, workload));
  }
  verify::AnyOperatorSettings operator_settings;
  operator_settings.cache = settings.cache / "references";
  ASSAY_TRY_ASSIGN(const auto op, verify::open_operator(request.definition, request.workloads, operator_settings));
  const auto on_progress = [&](std::size_t done) {
    if (settings.on_progress) {
      settings.on_progress(static_cast<double>(done), static_cast<double>(request.workloads.size()),
                           fmt::format("workload {} of {}", done + 1, request.workloads.size()));
    }
  };
  ASSAY_TRY_ASSIGN(const task::Admissibility found,
                   verify::check_admissibility(*op, request.definition, request.workloads, *request.seed,
                                               kCallsAWorkload, on_progress));
  ASSAY_TRY_ASSIGN(BundleDraft draft, BundleDraft::create(bundle));
  ASSAY_TRY(draft.add(std::string(task::kRequestFile), base::dump_pretty(task::encode(request)) + "\n"));
  ASSAY_TRY(draft.add(std::string(task::kAdmissibilityFile), base::dump_pretty(task::encode(found)) + "\n"));
  return draft.finish();
}

}  // namespace assay::evaluate
