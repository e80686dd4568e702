#pragma once

#include <string>

#include <assay/report/table.hpp>
#include <assay/service/evaluate.hpp>

namespace assay::cli {

/// Says how two solutions compare: "1.84x faster than plain (95 % interval 1.79–1.90 over 3 process pairs)". Empty
/// without a comparison.
[[nodiscard]] std::string comparison_sentence(const service::EvaluateReport& report);

/// Renders a verdict for people: outcome and cause, findings with their exact places, the compiler's first errors, the
/// table of workloads, what it comes to, where it is archived and what to do next.
[[nodiscard]] std::string print_evaluation(const service::EvaluateReport& report, report::Colour colour);

}  // namespace assay::cli
