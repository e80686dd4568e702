#include <assay/evaluate/call_answer.hpp>

#include <fmt/core.h>

#include <assay/evaluate/call_findings.hpp>
#include <assay/evaluate/diagnosis.hpp>

namespace assay::evaluate {

namespace {

Complaint complaint(task::Outcome outcome, const char* kind, std::string message) {
  Complaint made;
  made.outcome = outcome;
  made.finding.kind = kind;
  made.finding.message = std::move(message);
  return made;
}

}  // namespace

std::optional<Complaint> complaint_about(const worker::CallReply& reply) {
  if (reply.refused_launch > 0) {
    return complaint(task::Outcome::crashed, "launch_refused",
                     describe_refused_launch(reply.refused_launch, reply.device_status));
  }
  // In these two the driver's status is not about the call itself.
  if (reply.timing_status == worker::TimingStatus::not_capturable) {
    return complaint(task::Outcome::crashed, "not_capturable", describe_capture_failure(reply.device_status));
  }
  if (reply.timing_status == worker::TimingStatus::clock_failed) {
    return complaint(task::Outcome::suspect, "no_times",
                     fmt::format("CUPTI, which traced this process before, has no times of a call (status {}): do not "
                                 "use CUPTI in a candidate, or time by events",
                                 reply.device_status));
  }
  if (reply.device_status != 0) {
    return Complaint{task::Outcome::crashed, device_error(reply.device_status, reply.return_code)};
  }
  if (reply.return_code != 0) {
    return Complaint{task::Outcome::crashed, entry_failure(reply)};
  }
  if (reply.timing_status == worker::TimingStatus::no_work) {
    return complaint(task::Outcome::suspect, "no_device_work",
                     "CUPTI saw no kernel, copy or fill of a call on the device: put all work on assay_stream(call), "
                     "and do it in each call");
  }
  return std::nullopt;
}

}  // namespace assay::evaluate
