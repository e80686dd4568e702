#include <assay/evaluate/session_flags.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <assay/stats/quantile.hpp>
#include <assay/stats/waiting.hpp>

namespace assay::evaluate {

namespace {

constexpr double kHostBound = 0.6;
constexpr double kMostDrift = 0.05;
constexpr double kMostLate = 0.2;

task::Finding flag(const char* kind, std::string message) {
  task::Finding found;
  found.kind = kind;
  found.message = std::move(message);
  return found;
}

int counted(int number) { return std::max(0, number); }

}  // namespace

std::optional<task::DeviceReading> read_device(const std::optional<device::DeviceState>& state) {
  if (!state) {
    return std::nullopt;
  }
  task::DeviceReading reading;
  reading.sm_mhz = counted(state->sm_mhz);
  reading.memory_mhz = counted(state->memory_mhz);
  reading.temperature_celsius = counted(state->temperature_celsius);
  reading.power_watts = std::max(0.0, state->power_watts);
  reading.throttled = state->throttled;
  reading.processes = counted(state->processes);
  return reading;
}

std::optional<task::Finding> flag_throttling(const std::vector<task::PairReadings>& readings) {
  const auto throttled = [](const task::PairReadings& pair) {
    return !pair.before.throttled.empty() || !pair.after.throttled.empty();
  };
  const auto first = std::find_if(readings.begin(), readings.end(), throttled);
  if (first == readings.end()) {
    return std::nullopt;
  }
  const std::string& reason = first->after.throttled.empty() ? first->before.throttled : first->after.throttled;
  return flag("throttled",
              fmt::format("the device's clocks were held down around {} of {} process pairs ({}): see "
                          "its readings, and its cooling or power limit",
                          std::count_if(readings.begin(), readings.end(), throttled), readings.size(), reason));
}

std::optional<task::Finding> flag_other_processes(const std::vector<task::PairReadings>& readings) {
  int others = 0;
  for (const task::PairReadings& pair : readings) {
    others = std::max({others, pair.before.processes - pair.ours, pair.after.processes - pair.ours});
  }
  if (others <= 0) {
    return std::nullopt;
  }
  return flag("shared_device", fmt::format("{} other process{} had a context on the device during the session: times "
                                           "on a shared device vary for reasons that are not the candidate's",
                                           others, others == 1 ? "" : "es"));
}

std::vector<task::Finding> flag_host_bound(
    const std::map<std::pair<task::Side, std::int32_t>, std::vector<double>>& idle_shares) {
  std::map<task::Side, std::pair<double, std::int32_t>> worst;
  for (const auto& [key, shares] : idle_shares) {
    const double share = shares.empty() ? 0 : stats::median(shares);
    const auto known = worst.find(key.first);
    if (share > kHostBound && (known == worst.end() || share > known->second.first)) {
      worst[key.first] = {share, key.second};
    }
  }
  std::vector<task::Finding> flags;
  for (const auto& [side, found] : worst) {
    flags.push_back(
        flag("host_bound", fmt::format("for {:.0f} % of its time (median) its entry point kept the host busy while the "
                                       "device had nothing queued, or waited for the device: the time is the host's "
                                       "more than the kernels'; --clock graph times the device alone",
                                       100 * found.first)));
    flags.back().side = side;
    flags.back().workload = found.second;
  }
  return flags;
}

std::optional<task::Finding> flag_busy_machine(const std::vector<task::Sample>& samples) {
  std::map<std::int32_t, std::vector<double>> outside;
  for (const task::Sample& sample : samples) {
    if (sample.repetition > 0 && !sample.self && sample.side == task::Side::incumbent) {
      outside[sample.workload].push_back(static_cast<double>(sample.round_trip_ns - sample.elapsed_ns));
    }
  }
  std::int64_t calls = 0;
  std::int64_t late = 0;
  for (const auto& [workload, times] : outside) {
    const double most = *std::min_element(times.begin(), times.end()) + stats::kWakingNs;
    calls += static_cast<std::int64_t>(times.size());
    late += std::count_if(times.begin(), times.end(), [most](double time) { return time > most; });
  }
  if (static_cast<double>(late) <= kMostLate * static_cast<double>(calls)) {
    return std::nullopt;
  }
  return flag(
      "busy_machine",
      fmt::format("{} of the incumbent's {} calls had to wait for a processor: somebody else works on this "
                  "machine, and what the two clocks do not agree about is held against nobody; where it is quiet "
                  "fewer process pairs tell more",
                  late, calls));
}

std::optional<task::Finding> flag_changed_device(const task::Canary& canary) {
  if (!(canary.before_ns > 0) || std::abs(canary.after_ns / canary.before_ns - 1) <= kMostDrift) {
    return std::nullopt;
  }
  return flag(
      "device_changed",
      fmt::format("the judge's own copy of device memory took {:.1f} us before the session and "
                  "{:.1f} us after it ({:+.1f} %): the device is not what it was",
                  canary.before_ns / 1000, canary.after_ns / 1000, 100 * (canary.after_ns / canary.before_ns - 1)));
}

}  // namespace assay::evaluate
