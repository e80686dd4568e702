#include <assay/evaluate/call_contents.hpp>

#include <algorithm>

namespace assay::evaluate {

namespace {

constexpr std::size_t kShiftBytes = 4096;
constexpr std::size_t kShifts = CallContents::kSlackBytes / kShiftBytes;
// With two pairs, six: enough for each kind of an operator that has five. A pair of fewer rounds has fewer.
constexpr int kPerturbedCalls = 3;
// The end of a chain tells of all its steps; some are looked at by themselves, to say where it went wrong.
constexpr double kCheckedOfAChain = 0.125;

}  // namespace

base::Result<void> CallContents::fill(const measure::ScheduledCall& call, std::vector<operators::Argument>& arguments,
                                      device::CopyPlan& plan) {
  const task::EvaluationRequest& request = *session_.request;
  const auto index = static_cast<std::size_t>(call.workload);
  const task::Workload& workload = request.workloads[index];
  plan.clear();
  // A perturbed call may have changed them, and these arguments may be filled for the second time.
  ASSAY_TRY(verify::restore_scalars(request.definition, workload, arguments));
  const std::uint64_t contents = request.probes(task::Probe::fresh_contents) ? call.contents : 0;
  if (index < session_.kept.size()) {
    ASSAY_TRY(fill_kept(index, arguments));
  } else if (session_.purpose == Session::Purpose::stress) {
    session_.generator->compose_stress((*session_.stress_kinds)[index], workload, contents, arguments, plan);
  } else if (session_.purpose == Session::Purpose::chain) {
    // The judge goes on from it too, on the host.
    session_.generator->fill_stress(session_.op->chain()->kind, workload, contents, arguments);
    session_.chain->feed(arguments);
  } else {
    first_contents_.emplace(call.workload, contents);
    if (session_.given->has(index)) {
      ASSAY_TRY(
          session_.given->fill(*session_.generator, index, contents, variation_of(call.workload, contents), arguments));
    } else {
      session_.generator->compose(workload, contents, arguments, plan);
    }
    if (call.perturbed) {
      session_.generator->perturb_composed(session_.seed + *call.perturbed, call.contents, arguments, plan);
    }
  }
  if (!session_.device->runs_remotely()) {
    plan.settle();
  }
  return {};
}

// By `fill` and not `compose`: a device keeps the pools of the session's own generator, and not of others.
base::Result<void> CallContents::fill_kept(std::size_t index, std::vector<operators::Argument>& arguments) {
  const task::FailingInput& input = session_.kept[index].input;
  const task::Workload& workload = session_.request->workloads[index];
  if (!other_generator_ || other_seed_ != input.seed) {
    other_generator_ = session_.op->make_generator(input.seed);
    other_seed_ = input.seed;
  }
  if (input.stress_kind) {
    other_generator_->fill_stress((*session_.stress_kinds)[index], workload, input.contents, arguments);
  } else if (session_.given->has(index)) {
    const auto variation = input.varied.value_or(false) ? operators::Variation::symmetric : operators::Variation::none;
    ASSAY_TRY(session_.given->fill(*other_generator_, index, input.contents, variation, arguments));
  } else {
    other_generator_->fill(workload, input.contents, arguments);
  }
  if (input.perturbed) {
    other_generator_->perturb(*input.perturbed, input.contents, arguments);
  }
  return {};
}

operators::Variation CallContents::variation_of(std::int32_t workload, std::uint64_t contents) const {
  const auto first = first_contents_.find(workload);
  return first == first_contents_.end() || first->second == contents ? operators::Variation::none
                                                                     : operators::Variation::symmetric;
}

task::FailingInput CallContents::input_of(const measure::ScheduledCall& call) const {
  const auto index = static_cast<std::size_t>(call.workload);
  if (index < session_.kept.size()) {
    return session_.kept[index].input;
  }
  task::FailingInput input;
  input.workload = session_.request->workloads[index];
  input.workload.given.clear();  // They say where files lie on this machine, today.
  input.seed = session_.seed;
  input.contents = call.contents;
  if (session_.purpose == Session::Purpose::stress) {
    input.stress_kind = session_.op->stress_kinds()[(*session_.stress_kinds)[index]].name;
  } else if (session_.given->has(index)) {
    input.varied = variation_of(call.workload, call.contents) == operators::Variation::symmetric;
  }
  if (call.perturbed) {
    input.perturbed = session_.seed + *call.perturbed;
  }
  return input;
}

bool CallContents::is_new(const measure::ScheduledCall& call) const {
  const bool as_given = session_.given->has(static_cast<std::size_t>(call.workload)) &&
                        variation_of(call.workload, call.contents) == operators::Variation::none;
  return !as_given && !call.repeats && !call.perturbed && session_.request->probes(task::Probe::fresh_contents);
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

std::vector<measure::ScheduledCall> schedule_of(const Session& session, std::int32_t pair, bool with_incumbent,
                                                base::Philox& random) {
  std::vector<measure::ScheduledCall> calls =
      measure::make_schedule(schedule_options(session, pair, with_incumbent), random);
  const auto kept = static_cast<std::int32_t>(session.kept.size());
  const auto others = std::stable_partition(
      calls.begin(), calls.end(), [kept](const measure::ScheduledCall& call) { return call.workload < kept; });
  std::sort(calls.begin(), others, [](const measure::ScheduledCall& one, const measure::ScheduledCall& other) {
    return one.workload < other.workload;
  });
  return calls;
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
  options.check_fraction = compares                                     ? request.plan.check_fraction
                           : session.purpose == Session::Purpose::chain ? kCheckedOfAChain
                                                                        : 1;
  for (const verify::Layout& layout : *session.layouts) {
    options.costs.push_back(static_cast<double>(layout.inputs_size + layout.outputs_size));
  }
  options.perturbed_calls = compares && request.probes(task::Probe::one_element_mutation) ? kPerturbedCalls : 0;
  options.repeat = compares && request.probes(task::Probe::determinism);
  return options;
}

}  // namespace assay::evaluate
