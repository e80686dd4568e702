#pragma once

#include <optional>
#include <vector>

#include <assay/device/device.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::evaluate {

/// Reasons to doubt the times of a session, each a finding with a sentence for the author; nullopt: none. A doubted
/// candidate is `suspect`, whatever its times say.

/// `ratios`: for each timed call of the incumbent the CPU time that the candidate's processes used meanwhile, over the
/// call's time. Threads that wait in a loop between calls, or worse, would slow the incumbent down. Judged by the
/// median, above 0.10: one daemon's tick is no reason.
[[nodiscard]] std::optional<task::Finding> doubt_interference(const std::vector<double>& ratios);

/// `of_candidate`, `of_incumbent`: nanoseconds, one a timed call on a device: how long work of the process went on after
/// the stream's had ended. Work on another stream is not in the time that counts. Judged by the medians: 5 us more
/// than the incumbent's, or than 8 us where there is none.
[[nodiscard]] std::optional<task::Finding> doubt_outliving_work(const std::vector<double>& of_candidate,
                                                                const std::vector<double>& of_incumbent);

/// What was measured here of what no candidate can exceed; 0: not known.
struct MeasuredLimits {
  double bytes_per_ns = 0;       ///< Bandwidth of the memory.
  double operations_per_ns = 0;  ///< device::DevicePeaks::operations_bound.
};

/// Holds the candidate's median times against what its least work takes, one entry a workload (operators::Work; 0: not
/// known): the longer of moving its bytes at twice the bandwidth that was measured (or twice 50 GB/s, if that is more), and
/// of its operations at twice the fastest rate that was measured of any format. So an honest kernel is accused only where
/// the device does twice what it was measured to do; in a format of 16 bits, four times. Of limits that are not known there
/// is no doubt.
[[nodiscard]] std::optional<task::Finding> doubt_too_fast(const std::vector<task::WorkloadTiming>& timings,
                                                          const std::vector<operators::Work>& least_work,
                                                          const MeasuredLimits& limits);

/// Measures how fast this machine reads memory that no cache holds, with all CPUs that the calling thread may use: the
/// best of three passes over `bytes`, in bytes per nanosecond.
[[nodiscard]] double cold_read_bandwidth(const device::Device& device, std::span<const std::byte> bytes);

}  // namespace assay::evaluate
