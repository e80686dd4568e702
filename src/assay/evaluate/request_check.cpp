#include <assay/evaluate/request_check.hpp>

#include <fmt/core.h>

#include <utility>

#include <assay/device/cuda/cupti.hpp>
#include <assay/evaluate/sanitizer_run.hpp>
#include <assay/task/runnable.hpp>
#include <assay/verify/any_operator.hpp>

namespace assay::evaluate {

namespace {

base::Result<void> check_incumbent(const task::EvaluationRequest& request) {
  const bool compares = request.stage == task::Stage::gate || request.stage == task::Stage::sweep;
  if (compares != request.incumbent.has_value()) {
    return base::input_error("request.incumbent", compares ? "a gate or a sweep needs an incumbent"
                                                           : "only a gate or a sweep takes an incumbent");
  }
  return {};
}

base::Result<void> check_sanitizers(const task::EvaluationRequest& request, const device::Device& device) {
  if (request.plan.sanitizers.empty()) {
    return {};
  }
  if (!device.runs_remotely()) {
    return base::input_error("request.sanitizers",
                             fmt::format("compute-sanitizer watches what runs on a GPU, and the device is '{}': "
                                         "leave it out, or name one with --device cuda:0",
                                         request.device));
  }
  ASSAY_TRY(find_compute_sanitizer());
  return {};
}

}  // namespace

base::Result<RequestMeans> check_request(const task::EvaluationRequest& request, const JudgeSettings& settings) {
  RequestMeans means;
  ASSAY_TRY(task::check_timing(request.plan, request.device));
  ASSAY_TRY_ASSIGN(means.device, device::open_device(request.device));
  const bool is_official = request.official_trials > 0 && means.device->runs_remotely();
  if (is_official || task::timing_of(request).method == base::TimingMethod::cupti) {
    ASSAY_TRY_ASSIGN(means.cupti, device::cuda::find_cupti());
  }
  ASSAY_TRY(task::check_runnable(request.definition, request.workloads));
  if (request.workloads.empty()) {
    return base::input_error("request.workloads", "the request names no workload: give at least one");
  }
  ASSAY_TRY(check_incumbent(request));
  ASSAY_TRY(check_sanitizers(request, *means.device));
  for (const task::Workload& workload : request.workloads) {
    ASSAY_TRY(task::check_workload(request.definition, workload));
    ASSAY_TRY_ASSIGN(verify::Layout layout, verify::make_layout(request.definition, workload));
    means.layouts.push_back(std::move(layout));
  }
  verify::AnyOperatorSettings of_operator;
  of_operator.cache = settings.cache / "references";
  ASSAY_TRY_ASSIGN(means.op, verify::open_operator(request.definition, request.workloads, of_operator));
  ASSAY_TRY_ASSIGN(means.given, verify::GivenContents::open(*means.op, request.definition, request.workloads));
  return means;
}

}  // namespace assay::evaluate
