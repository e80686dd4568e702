#include <assay/execute/time_limit.hpp>

#include <algorithm>

namespace assay::execute {
namespace {

// In floating point, because a plan may hold any integers and their product must not overflow.
using Seconds = std::chrono::duration<double>;

constexpr double kMargin = 2;
constexpr Seconds kBase(60);
constexpr double kChainCalls = 64;

double count(int number) { return std::max(0, number); }

Seconds limit(std::chrono::milliseconds given) { return std::max(Seconds(0), Seconds(given)); }

}  // namespace

std::chrono::nanoseconds judgement_limit(const task::EvaluationRequest& request) {
  if (!task::has_candidate(request.stage)) {
    return kLongestMaterialisation;
  }
  const task::SessionPlan& plan = request.plan;
  const double solutions = request.incumbent ? 2 : 1;
  Seconds total = 2 * solutions * limit(plan.build_limit);
  if (request.stage != task::Stage::build) {
    const double pairs = std::max(count(plan.minimum_pairs), count(plan.maximum_pairs));
    const double calls = static_cast<double>(request.workloads.size()) * (count(plan.samples_per_pair) + 1);
    total += pairs * solutions * (limit(plan.load_limit) + 2 * calls * limit(plan.call_limit));
    const auto workloads = static_cast<double>(request.workloads.size());
    // As many on each workload: up to one a workload more than were asked for.
    const double more = request.trials > 0 ? count(request.trials) + workloads : 0;
    // Difficult inputs are followed by a chain of calls, where the operator has one.
    const double difficult = plan.stress_trials > 0 ? plan.stress_trials + kChainCalls : 0;
    const double trials =
        static_cast<double>(request.replays.size()) + difficult + workloads * count(request.official_trials) + more;
    if (trials > 0) {
      total += 2 * (limit(plan.load_limit) + trials * limit(plan.call_limit));
    }
  }
  if (request.stage != task::Stage::build) {
    const Seconds calls = task::kSanitizedCalls * Seconds(task::sanitized_limit(plan.call_limit));
    total += static_cast<double>(plan.sanitizers.size()) *
             (task::kSanitizerStart + Seconds(task::sanitized_limit(plan.load_limit)) + calls + task::kSanitizerEnd);
  }
  total = std::min<Seconds>(kMargin * total + kBase, kLongestJudgement);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(total);
}

}  // namespace assay::execute
