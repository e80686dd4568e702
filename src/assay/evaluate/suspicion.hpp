#pragma once

#include <optional>
#include <vector>

#include <assay/device/device.hpp>
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

/// Holds the candidate's median times against what it takes to move `least_bytes`, one entry a workload (see
/// operators::Work), at twice the bandwidth that was measured here (or twice 50 GB/s, if that is more). `bytes_per_ns`
/// 0: not measured, no doubt.
[[nodiscard]] std::optional<task::Finding> doubt_too_fast(const std::vector<task::WorkloadTiming>& timings,
                                                          const std::vector<double>& least_bytes, double bytes_per_ns);

/// Measures how fast this machine reads memory that no cache holds, with all CPUs that the calling thread may use: the
/// best of three passes over `bytes`, in bytes per nanosecond.
[[nodiscard]] double cold_read_bandwidth(const device::Device& device, std::span<const std::byte> bytes);

}  // namespace assay::evaluate
