#pragma once

#include <string>

#include <assay/report/table.hpp>
#include <assay/service/evaluate.hpp>

namespace assay::cli {

/// Says how two solutions compare: "1.84x faster than plain (95 % interval 1.79–1.90 over 3 process pairs)". Empty
/// without a comparison.
[[nodiscard]] std::string comparison_sentence(const service::EvaluateReport& report);

/// Renders what a comparison came to: that sentence in this tone, the interval that is reported beside the one that decided,
/// what the session shows of the incumbent against itself, and the workloads that the guard names. Empty without one.
[[nodiscard]] std::string print_comparison(const service::EvaluateReport& report, report::Tone tone,
                                           report::Colour colour);

}  // namespace assay::cli
