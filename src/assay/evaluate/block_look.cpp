#include <assay/evaluate/block_look.hpp>

#include <fmt/core.h>

#include <utility>

#include <assay/evaluate/call_findings.hpp>

namespace assay::evaluate {

namespace {

// Where to look: at what is kept, or at what only some inputs have.
std::string right_before(std::int64_t calls) {
  return fmt::format(
      "; {} before it on this workload {} right, with other inputs and partly at other addresses: either something is "
      "kept from call to call, or it goes wrong on such inputs only",
      calls == 1 ? "one call" : fmt::format("{} calls", calls), calls == 1 ? "was" : "were");
}

}  // namespace

void note_fault(PairResult& result, const SideProcess& side, task::Outcome outcome,
                std::optional<std::int32_t> workload, std::vector<task::Finding> findings) {
  Fault& fault = result.fault.emplace();
  fault.side = side.contestant->side;
  fault.outcome = outcome;
  fault.cause = findings.front().message;
  fault.findings = std::move(findings);
  for (task::Finding& finding : fault.findings) {
    finding.side = fault.side;
    finding.workload = workload;
  }
}

base::Result<void> BlockLook::check_guards(CallBlock& block) {
  const bool looks =
      session_.purpose != Session::Purpose::official && session_.request->probes(task::Probe::guard_bands);
  for (DoneCall& done : block.done) {
    if (std::exchange(done.guard_checked, true) || !looks) {
      continue;
    }
    ASSAY_TRY_ASSIGN(std::optional<task::Finding> outside, done.outputs->check_guard());
    if (outside) {
      note_fault(result_, *done.side, task::Outcome::incorrect, block.workload, {std::move(*outside)});
      return {};
    }
  }
  return {};
}

base::Result<void> BlockLook::begin_check(const CallBlock& block) const {
  for (const DoneCall& done : block.done) {
    ASSAY_TRY(done.outputs->begin_check());
  }
  return {};
}

base::Result<bool> BlockLook::is_in_doubt(const CallBlock& block) const {
  for (const DoneCall& done : block.done) {
    ASSAY_TRY_ASSIGN(const bool doubtful, done.outputs->is_in_doubt());
    if (doubtful) {
      return true;
    }
  }
  return false;
}

base::Result<void> BlockLook::check(const CallBlock& block) {
  for (const DoneCall& done : block.done) {
    ++result_.checked_calls;
    if (measures_errors(block)) {
      ASSAY_TRY(measure_errors(block, done));
    }
    ASSAY_TRY_ASSIGN(std::vector<task::Finding> findings, done.outputs->check());
    if (done.side->contestant->side == task::Side::candidate) {
      std::int64_t& clean = result_.clean_calls[static_cast<std::size_t>(block.workload)];
      if (findings.empty()) {
        clean += block.is_new ? 1 : 0;
      } else if (clean > 0) {
        findings.front().message += right_before(clean);
      }
    }
    if (!findings.empty() && !result_.fault) {
      note_fault(result_, *done.side, task::Outcome::incorrect, block.workload, std::move(findings));
    }
  }
  return {};
}

// Enough to tell people how exact a candidate is, and cheap beside the reference.
bool BlockLook::measures_errors(const CallBlock& block) const {
  const auto workload = static_cast<std::size_t>(block.workload);
  return session_.purpose == Session::Purpose::compare &&
         (workload >= has_measured_.size() || !has_measured_[workload]);
}

base::Result<void> BlockLook::measure_errors(const CallBlock& block, const DoneCall& done) {
  if (done.side->contestant->side == task::Side::candidate) {
    const auto workload = static_cast<std::size_t>(block.workload);
    result_.largest_errors.resize(session_.request->workloads.size());
    has_measured_.resize(session_.request->workloads.size());
    ASSAY_TRY_ASSIGN(result_.largest_errors[workload], done.outputs->largest_errors());
    has_measured_[workload] = true;
  }
  return {};
}

// Different bits are legal where a sum has no order: shown to people, no more.
base::Result<void> BlockLook::compare_with_repeat(const measure::ScheduledCall& call, const CallBlock& block) {
  for (const DoneCall& done : block.done) {
    ASSAY_TRY_ASSIGN(const std::uint64_t digest, done.outputs->digest());
    std::uint64_t& earlier = done.side->digest_of_warm_up;
    if (call.repeats && earlier != digest) {
      task::Finding finding = nondeterministic();
      finding.side = done.side->contestant->side;
      finding.workload = block.workload;
      result_.flags.push_back(std::move(finding));
    }
    earlier = digest;
  }
  return {};
}

base::Result<void> BlockLook::begin_last_look(const CallBlock& block) const {
  for (const DoneCall& done : block.done) {
    ASSAY_TRY(done.outputs->begin_last_look());
  }
  return {};
}

base::Result<void> BlockLook::finish_last_look(const CallBlock& block) {
  for (const DoneCall& done : block.done) {
    ASSAY_TRY_ASSIGN(const auto change, done.outputs->changed());
    if (change) {
      result_.fault.reset();  // Wrong values seen in between are the consequence.
      note_fault(result_, *done.side, task::Outcome::incorrect, block.workload, {late_write(*change)});
      return {};
    }
  }
  return {};
}

base::Result<void> BlockLook::go_on(const CallBlock& block) const {
  device::CallMemory& outputs = *block.done.front().side->outputs;
  ASSAY_TRY(outputs.fetch(block.layout.outputs_size));
  return session_.chain->follow(block.axes, block.arguments, block.layout, outputs.bytes());
}

}  // namespace assay::evaluate
