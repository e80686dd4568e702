#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <assay/device/device_peaks.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/suspicion.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>
#include <assay/tensor/comparison.hpp>

namespace assay::evaluate {

/// What the process pairs of an evaluation showed beside their samples, collected from pair to pair: what there is to
/// doubt of the times, and what to tell people. Nanoseconds throughout.
class PairEvidence {
 public:
  /// The next pair's; the first one's least work and bandwidth stand for all, for later pairs do not measure them.
  void add(const PairResult& pair);

  /// The median of the empty calls of all processes; 0 before the first.
  [[nodiscard]] double timer_floor_ns() const;

  /// Sets the largest errors of the workloads that had a checked call.
  void add_errors_to(std::vector<task::WorkloadTiming>& timings) const;

  /// Sets the roofline's floor of the workloads whose least work is known, where the device was measured.
  void add_floors_to(std::vector<task::WorkloadTiming>& timings, const std::optional<device::DevicePeaks>& peaks) const;

  /// The first reason to doubt the times, by the probes that the request has on; nullopt: none. `peaks`: what the device
  /// was measured to do at most, once for all.
  [[nodiscard]] std::optional<task::Finding> doubts(const task::EvaluationRequest& request,
                                                    const std::vector<task::Sample>& samples,
                                                    const std::vector<task::WorkloadTiming>& timings,
                                                    const std::optional<device::DevicePeaks>& peaks) const;

  /// What a person should know and what decides nothing.
  [[nodiscard]] std::vector<task::Finding> flags() const;

 private:
  [[nodiscard]] MeasuredLimits limits(const std::optional<device::DevicePeaks>& peaks) const;

  bool first_ = true;
  std::vector<double> floors_ns_;
  std::vector<double> interference_;
  std::map<task::Side, std::vector<double>> outlived_ns_;
  std::vector<task::Finding> flags_;
  std::map<std::pair<task::Side, std::int32_t>, std::vector<double>> idle_shares_;
  std::vector<std::optional<tensor::LargestErrors>> largest_errors_;  ///< One a workload.
  std::vector<operators::Work> least_work_;
  double bytes_per_ns_ = 0;
};

/// The finding of times that the judge's own clock contradicts.
[[nodiscard]] task::Finding irreconcilable_time(std::string sentence);

}  // namespace assay::evaluate
