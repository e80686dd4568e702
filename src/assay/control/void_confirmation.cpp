#include <assay/control/void_confirmation.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include <assay/promote/recompute.hpp>
#include <assay/stats/paired_samples.hpp>
#include <assay/stats/self_comparison.hpp>
#include <assay/task/outcome.hpp>

namespace assay::control {

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
  if (task::holds_as_noise(request, evaluation)) {
    return std::string();  // The baseline's own code: whatever the machine does, it is no better.
  }
  ASSAY_TRY_ASSIGN(const auto self, promote::recompute_self(request, samples));
  if (self && self->failed) {
    return fmt::format("the session tells the baseline from a copy of itself ({:.4f}x [{:.4f}, {:.4f}] over {} pairs)",
                       std::exp(-self->interval.mean), std::exp(-self->interval.upper), std::exp(-self->interval.lower),
                       self->pair_log_ratios.size());
  }
  return std::string();
}

}  // namespace assay::control
