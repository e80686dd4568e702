#include <assay/evaluate/contestant_build.hpp>

#include <utility>

#include <assay/evaluate/diagnosis.hpp>

namespace assay::evaluate {

namespace {

BuiltSolution not_built(const base::Error& fault, task::Side side, BuiltSolution built) {
  built.result.record.built = false;
  built.result.record.object_sha256.clear();
  built.result.record.code = {};
  built.plan.reset();
  built.findings = {plan_fault(fault, side)};
  built.result.log += fault.text() + "\n";
  return built;
}

}  // namespace

base::Result<BuiltSolution> build_solution(const build::Builder& builder, const task::EvaluationRequest& request,
                                           const task::Solution& solution, task::Side side) {
  BuiltSolution built;
  built.result.record.tier = task::tier_of(solution);
  built.result.record.toolchain = builder.toolchain().name;
  if (builder.toolchain().form == build::ObjectForm::cubin) {
    base::Result<DevicePlan> plan = read_device_plan(solution, request.definition, request.workloads);
    if (!plan) {
      return not_built(plan.error(), side, std::move(built));
    }
    built.plan = std::move(*plan);
  }
  ASSAY_TRY_ASSIGN(built.result, builder.build(solution, request.plan.build_limit));
  built.result.record.tier = task::tier_of(solution);
  if (!built.result.record.built) {
    built.plan.reset();
    built.findings = compiler_findings(built.result.log, side);
  } else if (built.plan) {
    if (const base::Result<void> found = find_symbols(*built.plan, built.result.record.kernels); !found) {
      return not_built(found.error(), side, std::move(built));
    }
  }
  return built;
}

}  // namespace assay::evaluate
