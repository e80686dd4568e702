#pragma once

#include <optional>

#include <assay/task/evaluation.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::evaluate {

/// What is wrong with a call, as its worker answered it.
struct Complaint {
  task::Outcome outcome = task::Outcome::crashed;
  task::Finding finding;  ///< Without side and workload.
};

/// Looks at an answer to `prepare` or `call` before anything else is: nullopt if the call went as it should. `crashed`:
/// the device's driver refused a launch of a plan ("launch_refused") or reported an error, the entry point did not return 0, or it cannot be captured ("not_capturable").
/// `suspect`: CUPTI saw no work ("no_device_work") or gives no times ("no_times"), both of which it did of the floor,
/// before the candidate was loaded: since then the process is not ours alone.
[[nodiscard]] std::optional<Complaint> complaint_about(const worker::CallReply& reply);

}  // namespace assay::evaluate
