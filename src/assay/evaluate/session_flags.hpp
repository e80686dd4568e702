#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <assay/device/device_state.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::evaluate {

/// What a person should know about the times of a session, each a finding that decides nothing; nullopt or nothing: there
/// is nothing to tell. The judge puts them beside its outcome.

/// What a device said, as it is recorded.
[[nodiscard]] std::optional<task::DeviceReading> read_device(const std::optional<device::DeviceState>& state);

/// "throttled": something held the device's clocks down at a reading.
[[nodiscard]] std::optional<task::Finding> flag_throttling(const std::vector<task::PairReadings>& readings);

/// "shared_device": more processes had a context on the device than the judge and its workers.
[[nodiscard]] std::optional<task::Finding> flag_other_processes(const std::vector<task::PairReadings>& readings);

/// "host_bound": one a side where the device waited for the host for more than 0.6 of the median call's time, on the
/// workload where it is most. The shares are one a timed call.
[[nodiscard]] std::vector<task::Finding> flag_host_bound(
    const std::map<std::pair<task::Side, std::int32_t>, std::vector<double>>& idle_shares);

/// "busy_machine": more than a fifth of the incumbent's timed calls were answered so late, beyond the earliest of its workload
/// and outside of the time that they took, that they must have waited for a processor. For sessions with two clocks.
[[nodiscard]] std::optional<task::Finding> flag_busy_machine(const std::vector<task::Sample>& samples);

/// "device_changed": the judge's own work took more than 5 % longer or shorter after the session than before.
[[nodiscard]] std::optional<task::Finding> flag_changed_device(const task::Canary& canary);

}  // namespace assay::evaluate
