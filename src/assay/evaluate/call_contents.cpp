#include <assay/evaluate/call_contents.hpp>

namespace assay::evaluate {

namespace {

constexpr std::size_t kShiftBytes = 4096;
constexpr std::size_t kShifts = CallContents::kSlackBytes / kShiftBytes;
// With two pairs, six: enough for each kind of an operator that has five. A pair of fewer rounds has fewer.
constexpr int kPerturbedCalls = 3;

}  // namespace

void CallContents::fill(const measure::ScheduledCall& call, std::vector<operators::Argument>& arguments,
                        device::CallMemory& memory) const {
  const task::EvaluationRequest& request = *session_.request;
  const task::Workload& workload = request.workloads[static_cast<std::size_t>(call.workload)];
  device::CopyPlan& plan = memory.plan();
  plan.clear();
  const std::uint64_t contents = request.probes(task::Probe::fresh_contents) ? call.contents : 0;
  if (session_.purpose == Session::Purpose::stress) {
    const std::size_t kind = (*session_.stress_kinds)[static_cast<std::size_t>(call.workload)];
    session_.generator->compose_stress(kind, workload, contents, arguments, plan);
  } else {
    session_.generator->compose(workload, contents, arguments, plan);
    if (call.perturbed) {
      session_.generator->perturb_composed(session_.seed + *call.perturbed, call.contents, arguments, plan);
    }
  }
  if (!session_.device->runs_remotely()) {
    plan.settle();
  }
}

verify::Layout CallContents::next_layout(const measure::ScheduledCall& call, base::Philox& random) {
  const verify::Layout& layout = (*session_.layouts)[static_cast<std::size_t>(call.workload)];
  if (session_.request->probes(task::Probe::fresh_address) && !call.perturbed &&
      (call.repeats || random.next_below(2) == 0)) {
    const std::size_t before = shift_;
    while (shift_ == before) {
      shift_ = random.next_below(kShifts) * kShiftBytes;
    }
  }
  return verify::shifted(layout, shift_);
}

measure::ScheduleOptions schedule_options(const Session& session, std::int32_t pair, bool with_incumbent) {
  const task::EvaluationRequest& request = *session.request;
  const bool compares = session.purpose == Session::Purpose::compare;
  measure::ScheduleOptions options;
  options.pair = pair;
  options.workloads = static_cast<std::int32_t>(request.workloads.size());
  options.timed_repetitions = compares ? request.plan.samples_per_pair : session.trials - 1;
  options.calls_on = session.trials_on;
  options.with_incumbent = with_incumbent;
  options.check_fraction = compares ? request.plan.check_fraction : 1;
  for (const verify::Layout& layout : *session.layouts) {
    options.costs.push_back(static_cast<double>(layout.inputs_size + layout.outputs_size));
  }
  options.perturbed_calls = compares && request.probes(task::Probe::one_element_mutation) ? kPerturbedCalls : 0;
  options.repeat = compares && request.probes(task::Probe::determinism);
  return options;
}

}  // namespace assay::evaluate
