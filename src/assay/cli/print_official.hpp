#pragma once

#include <string>

#include <assay/report/table.hpp>
#include <assay/service/evaluate.hpp>

namespace assay::cli {

/// Renders what another evaluator would say (`--compat flashinfer-bench`): whether it would pass the candidate, and on a
/// GPU its own figures beside ours, a row a workload. They are of another method: nothing is decided by them.
[[nodiscard]] std::string print_official(const task::OfficialVerdict& verdict, const service::EvaluateReport& report,
                                         report::Colour colour);

}  // namespace assay::cli
