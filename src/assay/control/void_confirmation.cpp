#include <assay/control/void_confirmation.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include <assay/promote/recompute.hpp>
#include <assay/stats/paired_samples.hpp>
#include <assay/stats/self_comparison.hpp>
#include <assay/task/outcome.hpp>

namespace assay::control {

namespace {

// Empty: it does not, or is not asked to.
base::Result<std::string> told_apart(std::string_view whom, const task::EvaluationRequest& request,
                                     const task::Evaluation& evaluation, const std::vector<task::Sample>& samples) {
  if (task::holds_as_noise(request, evaluation)) {
    return std::string();  // The same machine code: whatever the session does, it is no better.
  }
  ASSAY_TRY_ASSIGN(const auto self, promote::recompute_self(request, samples));
  if (!self || !self->failed) {
    return std::string();
  }
  return fmt::format("the session tells the {} from a copy of itself ({:.4f}x [{:.4f}, {:.4f}] over {} pairs)", whom,
                     std::exp(-self->interval.mean), std::exp(-self->interval.upper), std::exp(-self->interval.lower),
                     self->pair_log_ratios.size());
}

}  // namespace

bool is_void_session(std::string_view code) { return code == kVoidSession || code == kVoidComparison; }

base::Result<std::string> why_void(const task::EvaluationRequest& request, const task::Evaluation& evaluation,
                                   const std::vector<task::Sample>& samples) {
  if (!evaluation.candidate_build.built || evaluation.outcome == task::Outcome::not_built) {
    return fmt::format("it could not be built, and the same sources were for its sweep: {}", evaluation.cause);
  }
  if (evaluation.outcome == task::Outcome::duplicate || evaluation.outcome == task::Outcome::built) {
    return fmt::format("it was not run: {}", evaluation.cause);
  }
  if (!task::is_correct(evaluation.outcome)) {
    return std::string();
  }
  ASSAY_TRY_ASSIGN(const stats::PairedComparison comparison, promote::recompute(request, evaluation, samples));
  if (!comparison.complete || comparison.table.pairs == 0) {
    return std::string("it was correct, and not every workload has a time on both sides");
  }
  return told_apart("baseline", request, evaluation, samples);
}

base::Result<std::string> why_void_comparison(const task::EvaluationRequest& request,
                                              const task::Evaluation& evaluation,
                                              const std::vector<task::Sample>& samples) {
  if (!task::is_correct(evaluation.outcome)) {
    return std::string();
  }
  return told_apart("incumbent", request, evaluation, samples);
}

}  // namespace assay::control
