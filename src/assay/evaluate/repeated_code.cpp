#include <assay/evaluate/repeated_code.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace assay::evaluate {

namespace {

task::Finding same_code_as(const std::string& other) {
  task::Finding finding;
  finding.kind = "same_machine_code";
  finding.message = fmt::format("the same machine code as {}; nothing was run", other);
  return finding;
}

}  // namespace

std::optional<task::Finding> repeated_code(const task::Evaluation& evaluation, const task::EvaluationRequest& request) {
  const std::string& own = evaluation.candidate_build.code.machine_code;
  if (own.empty() || (evaluation.incumbent && evaluation.incumbent->content == evaluation.candidate.content)) {
    return std::nullopt;
  }
  const auto known = std::find_if(request.known_code.begin(), request.known_code.end(),
                                  [&](const task::KnownCode& one) { return one.machine_code == own; });
  if (known != request.known_code.end()) {
    return same_code_as(known->candidate == 0 ? std::string("the baseline")
                                              : fmt::format("candidate {}", known->candidate));
  }
  if (request.refuse_twin && task::is_self_comparison(evaluation)) {
    return same_code_as(fmt::format("the incumbent '{}'", request.incumbent->name));
  }
  return std::nullopt;
}

task::Finding self_comparison_finding(const task::Comparison& comparison, const task::EvaluationRequest& request) {
  task::Finding finding;
  finding.kind = "self_comparison";
  const bool apart = comparison.log_ratio_upper < 0 || comparison.log_ratio_lower > 0;
  finding.message = fmt::format(
      "both sides are the same machine code, so that this is noise and never a gain (A/A): {:.3f}x as fast as '{}' "
      "({:.3g} % interval {:.3f} to {:.3f}, {} process pairs){}",
      std::exp(-comparison.log_ratio), request.incumbent->name, 100 * (1 - request.plan.alpha),
      std::exp(-comparison.log_ratio_upper), std::exp(-comparison.log_ratio_lower), comparison.pairs,
      apart ? "; the session tells the two apart all the same: see what else uses the machine" : "");
  return finding;
}

}  // namespace assay::evaluate
