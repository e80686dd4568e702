#include <assay/evaluate/call_findings.hpp>

#include <fmt/core.h>

#include <string>
#include <utility>

#include <assay/evaluate/diagnosis.hpp>

namespace assay::evaluate {

namespace {

task::Finding finding_of(const char* kind, std::string message) {
  task::Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  return finding;
}

}  // namespace

task::Finding input_written() {
  return finding_of("input_written",
                    "an input changed during the call, though it is mapped read-only: a process "
                    "must not change the protection of the judge's memory");
}

task::Finding device_error(std::int32_t status, std::int32_t return_code) {
  return finding_of("device_error", describe_device_failure(status, return_code));
}

task::Finding memory_taken() {
  return finding_of("memory_taken",
                    "the device had no memory left for the judge while the candidate ran, and has some again since it "
                    "ended: keep no more than the kernel needs");
}

task::Finding nondeterministic() {
  return finding_of("nondeterministic",
                    "the same inputs gave other bits the second time (both right within the tolerance)");
}

task::Finding late_write(const verify::SampledContent::Change& change) {
  const std::vector<std::int64_t> index = tensor::unravel(change.flat, change.place->shape);
  task::Finding finding =
      finding_of("late_write", fmt::format("{}{} changed after its call had returned: finish all work, and join or "
                                           "wait for every thread, before returning",
                                           change.place->name, tensor::to_string(index)));
  finding.tensor = change.place->name;
  finding.index = index;
  return finding;
}

}  // namespace assay::evaluate
