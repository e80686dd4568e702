#pragma once

#include <string>

#include <assay/report/table.hpp>
#include <assay/service/evaluate.hpp>

namespace assay::cli {

/// Renders a verdict for people: outcome and cause, findings with their exact places, the compiler's first errors, the
/// table of workloads, what it comes to, where it is archived and what to do next.
[[nodiscard]] std::string print_evaluation(const service::EvaluateReport& report, report::Colour colour);

}  // namespace assay::cli
